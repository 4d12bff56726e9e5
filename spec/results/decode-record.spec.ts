import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  IdempotencyRecordError,
  IdempotencyResultUnavailableError,
} from '../../lib/errors/index.js';
import { compress, MAX_UNCOMPRESSED_BYTES } from '../../lib/results/compression.js';
import { decodeRecord } from '../../lib/results/decode-record.js';
import { jsonCodec } from '../../lib/results/json-codec.js';
import type { ResultCodec } from '../../lib/results/result-codec.js';
import type { IdempotencyRecord } from '../../lib/store/idempotency-store.js';
import { expectRejection } from '../support/expect-rejection.js';
import { markedCodec, slowCodec } from './support.js';

const details = { method: 'Orders.place', id: 'orders#o1-secret' };

const decode = async (record: Partial<IdempotencyRecord>, codec: ResultCodec = jsonCodec) =>
  decodeRecord({ id: details.id, status: 'COMPLETED', ...record }, codec, details);

describe('decodeRecord', () => {
  it('gives undefined where the record has no result', async () => {
    expect(await decode({})).to.deep.equal({ result: undefined });
    expect(await decode({ encoding: 'other' }, markedCodec)).to.deep.equal({ result: undefined });
  });

  for (const value of [null, 0, false, '', [], {}, { nested: [1, null] }]) {
    it(`gives ${JSON.stringify(value)} back as itself`, async () => {
      expect(await decode({ result: JSON.stringify(value) })).to.deep.equal({ result: value });
    });
  }

  it('reads JSON from bytes too', async () => {
    expect(await decode({ result: Buffer.from('{"a":"ä"}') })).to.deep.equal({
      result: { a: 'ä' },
    });
  });

  it('has plain JSON at once', () => {
    const decoded = decodeRecord({ id: 'a', status: 'COMPLETED', result: '1' }, jsonCodec, details);

    expect(decoded).to.deep.equal({ result: 1 });
  });

  it('reads with the codec that the method names, synchronous or not', async () => {
    const marked = { result: '!{"a":1}', encoding: 'marked' };
    const slow = { result: Buffer.from('!{"a":1}'), encoding: 'slow.v1' };

    expect(await decode(marked, markedCodec)).to.deep.equal({ result: { a: 1 } });
    expect(await decode(slow, slowCodec)).to.deep.equal({ result: { a: 1 } });
  });

  it('reads plain JSON although the method names a codec by now', async () => {
    expect(await decode({ result: '{"a":1}' }, markedCodec)).to.deep.equal({ result: { a: 1 } });
    expect(await decode({ result: '{"a":1}', encoding: 'json' }, markedCodec)).to.deep.equal({
      result: { a: 1 },
    });
  });

  for (const [encoding, codec] of [
    ['marked', jsonCodec],
    ['slow.v1', markedCodec],
    ['', jsonCodec],
    ['marked+gzip', jsonCodec],
    ['MARKED', markedCodec],
    ['__proto__', markedCodec],
  ] as const) {
    it(`never lets the record choose ${JSON.stringify(encoding)} over ${codec.name}`, async () => {
      const error = await expectRejection(
        decode({ result: '!{"a":1}', encoding }, codec),
        IdempotencyRecordError,
      );

      expect(error).to.include({
        ...details,
        reason: 'its result is encoded with another codec than the method names',
      });
    });
  }

  describe('compressed', () => {
    it('reads JSON and the text of a codec', async () => {
      const json = await compress('{"a":"ä"}');
      const marked = await compress('!{"a":1}');

      expect(await decode({ result: json, encoding: 'json+gzip' })).to.deep.equal({
        result: { a: 'ä' },
      });
      expect(await decode({ result: marked, encoding: 'marked+gzip' }, markedCodec)).to.deep.equal({
        result: { a: 1 },
      });
    });

    it('refuses what is more than 16 MB unpacked, and says so', async () => {
      const bomb = gzipSync(Buffer.alloc(MAX_UNCOMPRESSED_BYTES + 1, 0x20));
      expect(bomb.length).to.be.below(20_000);

      const error = await expectRejection(
        decode({ result: bomb, encoding: 'json+gzip' }),
        IdempotencyRecordError,
      );

      expect(error.cause)
        .to.be.an.instanceOf(RangeError)
        .with.property('message', 'The compressed result is larger than 16 MB when unpacked');
    });

    it('reads what is exactly 16 MB unpacked', async () => {
      const text = '"'.padEnd(MAX_UNCOMPRESSED_BYTES - 1, 'x') + '"';

      const decoded = await decode({ result: gzipSync(text), encoding: 'json+gzip' });

      expect((decoded as { result: string }).result).to.have.lengthOf(MAX_UNCOMPRESSED_BYTES - 2);
    });

    for (const [what, result] of [
      ['text', '{"a":1}'],
      ['bytes that are not gzipped', Buffer.from('4111 secret')],
      ['cut bytes', gzipSync('{"a":1}').subarray(0, 12)],
    ] as const) {
      it(`refuses ${what}`, async () => {
        const error = await expectRejection(
          decode({ result, encoding: 'json+gzip' }),
          IdempotencyRecordError,
        );

        expect(error.reason).to.equal('its result does not decode');
        expect(inspect(error)).to.not.include('4111');
      });
    }
  });

  describe('what does not decode', () => {
    for (const [what, codec] of [
      ['the JSON codec', jsonCodec],
      [
        'a codec made of JSON',
        { ...markedCodec, decode: (text) => JSON.parse(String(text)) as unknown },
      ],
    ] as [string, ResultCodec][]) {
      it(`is a record error that quotes nothing: ${what}`, async () => {
        const record = {
          result: '4111-secret}',
          ...(codec === jsonCodec ? {} : { encoding: 'marked' }),
        };

        const error = await expectRejection(decode(record, codec), IdempotencyRecordError);

        expect(error.message).to.equal(
          'The stored record cannot be used: its result does not decode (Orders.place)',
        );
        expect(error.cause).to.equal(undefined);
        expect(inspect(error)).to.not.match(/4111|secret/u);
      });
    }

    it("keeps what a codec's decode throws as the cause", async () => {
      const cause = new Error('AccessDenied: kms:Decrypt');
      const codec = { ...markedCodec, decode: () => Promise.reject(cause) };

      const error = await expectRejection(
        decode({ result: '!', encoding: 'marked' }, codec),
        IdempotencyRecordError,
      );

      expect(error.cause).to.equal(cause);
    });
  });

  describe('an omitted result', () => {
    for (const why of ['too-large', 'not-encodable'] as const) {
      // F18
      it(`is an error of its own: ${why}`, async () => {
        const error = await expectRejection(
          decode({ resultOmitted: why, completedAtMs: 1000 }),
          IdempotencyResultUnavailableError,
        );

        expect(error).to.deep.include({ ...details, why, completedAt: new Date(1000) });
      });
    }

    it('needs no time of completion', async () => {
      const error = await expectRejection(
        decode({ resultOmitted: 'too-large' }),
        IdempotencyResultUnavailableError,
      );

      expect(error).to.not.have.property('completedAt');
    });
  });

  it('takes a recorded error without an error for a broken record', async () => {
    const error = await expectRejection(decode({ status: 'FAILED' }), IdempotencyRecordError);

    expect(error.reason).to.equal('it is a recorded error without an error');
  });
});
