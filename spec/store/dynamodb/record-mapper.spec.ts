import { marshall } from '@aws-sdk/util-dynamodb';
import { expect } from 'chai';
import { IdempotencyRecordError } from '../../../lib/errors/index.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import type { IdempotencyRecord } from '../../../lib/store/idempotency-store.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { output, RecordingClient } from '../../support/recording-client.js';

/** What a store reads from an item, given as plain values and as attribute values. */
async function readBothWays(item: Record<string, unknown>) {
  const [plain, raw] = await Promise.all([read(item), read(marshall(item))]);
  expect(plain).to.deep.equal(raw);
  return raw;
}

async function read(item: object, clockSkew = 1): Promise<IdempotencyRecord | undefined> {
  const client = new RecordingClient().next(output({ Item: item }));
  return new DynamoDBStore({ table: 'idem', client, clockSkew }).get('k');
}

describe('DynamoDBStore records', () => {
  it('are read whole', async () => {
    expect(
      await readBothWays({
        id: 'k',
        status: 'COMPLETED',
        expires_at: 1_764_584_939,
        in_progress_until: 1_764_581_338,
        result: '{"n":1}',
        encoding: 'structured',
        claim_token: 't',
        fingerprint: 'f00',
        completed_at: 1_764_581_338.623,
        v: 1,
        unrelated: { list: [1, 'two', null], set: new Set(['a']) },
      }),
    ).to.deep.equal({
      id: 'k',
      status: 'COMPLETED',
      takeoverAtMs: 1_764_584_940_000,
      expiresAtMs: 1_764_584_939_000,
      result: '{"n":1}',
      encoding: 'structured',
      claimToken: 't',
      fingerprint: 'f00',
      completedAtMs: 1_764_581_338_623,
    });
  });

  it('of other writers need no token, version or end of the claim', async () => {
    expect(await readBothWays({ id: 'k', status: 'COMPLETED', result: '1' })).to.deep.equal({
      id: 'k',
      status: 'COMPLETED',
      result: '1',
    });
  });

  // F13
  it('in progress without an end of the claim stand until they expire', async () => {
    expect(await readBothWays({ id: 'k', status: 'INPROGRESS', expires_at: 100 })).to.deep.equal({
      id: 'k',
      status: 'INPROGRESS',
      expiresAtMs: 100_000,
      takeoverAtMs: 101_000,
    });
    expect(await readBothWays({ id: 'k', status: 'INPROGRESS' })).to.deep.equal({
      id: 'k',
      status: 'INPROGRESS',
    });
  });

  it('in progress are taken over at the earlier of their two ends, plus the skew', async () => {
    const item = { id: 'k', status: 'INPROGRESS', in_progress_until: 50.25, expires_at: 100 };

    expect(await read(marshall(item), 0)).to.have.property('takeoverAtMs', 50_250);
    expect(await read(marshall({ ...item, expires_at: 40 }), 2)).to.have.property(
      'takeoverAtMs',
      42_000,
    );
  });

  // F64
  it('with a ttl in milliseconds are a far future that a Date can name', async () => {
    const record = await readBothWays({
      id: 'k',
      status: 'COMPLETED',
      expires_at: 1_764_584_939_000,
    });
    expect(record?.expiresAtMs).to.equal(1_764_584_939_000_000);

    const micros = await read({ id: 'k', status: 'COMPLETED', expires_at: 1_764_584_939_000_000 });
    expect(new Date(micros?.expiresAtMs ?? NaN).getTime()).to.equal(8.64e15);
    expect(new Date(micros?.takeoverAtMs ?? NaN).getTime()).to.equal(8.64e15);
  });

  it('keep what bytes, empty texts and recorded errors were', async () => {
    const error = { name: 'CardError', message: '', code: 1e300, statusCode: 402 };

    expect(
      await readBothWays({ id: 'k', status: 'FAILED', error: JSON.stringify(error) }),
    ).to.have.deep.property('error', error);
    expect(await readBothWays({ id: 'k', status: 'COMPLETED', result: '' })).to.have.property(
      'result',
      '',
    );
    expect(
      await readBothWays({ id: 'k', status: 'COMPLETED', result: Uint8Array.of(1, 2) }),
    ).to.have.deep.property('result', Uint8Array.of(1, 2));
  });

  describe('that cannot be understood', () => {
    const cases: Readonly<Record<string, Record<string, unknown>>> = {
      'version 2': { v: 2 },
      '`v` is not a number': { v: 'one' },
      '`status` is none of': { status: 'DONE' },
      '`expires_at` is not a number': { expires_at: '1764584939' },
      '`in_progress_until` is not a number': { in_progress_until: 'soon' },
      '`completed_at` is not a number': { completed_at: [1] },
      '`result` is neither a string nor binary': { result: { n: 1 } },
      '`encoding` is not a string': { encoding: 7 },
      '`claim_token` is not a string': { claim_token: null },
      '`fingerprint` is not a string': { fingerprint: true },
      '`result_omitted` is none of': { result_omitted: 'bored' },
      '`error` is not a string': { error: { name: 'E', message: 'm' } },
      '`error` is not the JSON of an error': { error: '{"name":"E"}' },
      'is marked as gzipped and is no binary': { result: 'text', encoding: 'json+gzip' },
      'its result cannot be unpacked': { result: Uint8Array.of(1, 2), encoding: 'json+gzip' },
    };
    for (const [reason, attributes] of Object.entries(cases)) {
      it(`are refused: ${reason}`, async () => {
        const item = { id: 'k', status: 'INPROGRESS', ...attributes };

        for (const each of [item, marshall(item)]) {
          const error = await expectRejection(read(each), IdempotencyRecordError);
          expect(error.message).to.contain(reason);
          expect(error.id).to.equal('k');
        }
      });
    }

    it('are refused: no status, no attribute, an unknown type', async () => {
      for (const item of [
        { id: 'k' },
        { id: { S: 'k' } },
        {},
        { id: { S: 'k' }, x: { $unknown: [] } },
      ]) {
        await expectRejection(read(item), IdempotencyRecordError);
      }
      for (const text of ['NaN', 'Infinity', '', 'tomorrow']) {
        await expectRejection(
          read({ id: { S: 'k' }, status: { S: 'COMPLETED' }, expires_at: { N: text } }),
          IdempotencyRecordError,
        );
      }
    });

    it('are refused without their contents in the message', async () => {
      const error = await expectRejection(
        read({ id: { S: 'k' }, status: { S: 'secret-4711' }, error: { S: 'secret-4711' } }),
        IdempotencyRecordError,
      );

      expect(error.message).not.to.contain('secret-4711');
    });
  });
});
