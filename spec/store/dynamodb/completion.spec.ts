import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import { itemBytes, MAX_ITEM_BYTES } from '../../../lib/store/dynamodb/item-size.js';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { compress, decompress } from '../../../lib/results/compression.js';
import type { Claim, Completion } from '../../../lib/store/idempotency-store.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { output, RecordingClient, sdkError, type Answer } from '../../support/recording-client.js';

const claim: Claim = {
  id: 'k',
  token: 'token-1',
  inProgressUntilMs: 1_764_581_398_123,
  tookOver: false,
};
const finished = { status: 'COMPLETED', nowMs: 1_764_581_338_123, ttlMs: 60_000 } as const;

/** Text that gzip cannot shrink below the limit: random, as base64. */
const incompressible = randomBytes(420_000).toString('base64');

const tooLarge: Answer = (request) =>
  sdkError('ValidationException', {
    message: 'Item size to update has exceeded the maximum allowed size',
  })(request, () => Promise.resolve());

async function valuesOf(completion: Partial<Completion>, ...answers: readonly Answer[]) {
  const client = new RecordingClient().next(...answers);
  await new DynamoDBStore({ table: 'idem', client }).complete(claim, {
    ...finished,
    ...completion,
  });
  return client.seen.map(
    ({ input }) =>
      input.ExpressionAttributeValues as Record<string, { S?: string; B?: Uint8Array }>,
  );
}

describe('DynamoDBStore completions', () => {
  // F18
  it('are kept as they are up to the limit', async () => {
    for (const result of ['a'.repeat(390_000), '€'.repeat(130_000)]) {
      const [values] = await valuesOf({ result });

      expect(values?.[':result']?.S === result).to.equal(true);
      expect(values).not.to.have.property(':encoding');
    }
  });

  // F18
  it('are gzipped where the text is larger than an item', async () => {
    for (const [encoding, stored] of [
      [undefined, 'json+gzip'],
      ['structured', 'structured+gzip'],
    ]) {
      const result = '€'.repeat(140_000);

      const [values] = await valuesOf({ result, ...(encoding === undefined ? {} : { encoding }) });

      expect(values?.[':encoding']).to.deep.equal({ S: stored });
      expect((await decompress(values?.[':result']?.B ?? Uint8Array.of())) === result).to.equal(
        true,
      );
    }
  });

  // F18
  it('omit the result where gzip is not enough or not possible', async () => {
    for (const completion of [
      { result: incompressible },
      { result: new Uint8Array(420_000), encoding: 'bytes' },
      // It would shrink to 16 KB, and could not be unpacked again.
      { result: 'a'.repeat(17 * 1024 * 1024) },
    ]) {
      const [values] = await valuesOf(completion);

      expect(values).to.have.deep.property(':omitted', { S: 'too-large' });
      expect(values).to.have.deep.property(':status', { S: 'COMPLETED' });
      expect(values).not.to.have.any.keys(':result', ':encoding');
    }
  });

  it('go on to the smaller form when the engine counts more than this package', async () => {
    const result = JSON.stringify({ text: 'b'.repeat(300_000) });

    const tries = await valuesOf({ result }, tooLarge, tooLarge, output());

    expect(tries.map((values) => values[':encoding']?.S)).to.deep.equal([
      undefined,
      'json+gzip',
      undefined,
    ]);
    expect(tries[2]).to.have.deep.property(':omitted', { S: 'too-large' });
  });

  it('reject once the smallest form is too large too', async () => {
    const client = new RecordingClient().next(tooLarge, tooLarge, tooLarge);
    const store = new DynamoDBStore({ table: 'idem', client });

    const error = await expectRejection(
      store.complete(claim, { ...finished, result: '1' }),
      IdempotencyStoreError,
    );

    expect(error.message).to.contain('larger than the 400 KB');
    expect(client.seen).to.have.lengthOf(3);
  });

  it('with nothing to leave out are tried once', async () => {
    const client = new RecordingClient().next(tooLarge);
    const store = new DynamoDBStore({ table: 'idem', client });

    await expectRejection(store.complete(claim, finished), IdempotencyStoreError);

    expect(client.seen).to.have.lengthOf(1);
  });

  it('cut the texts of a recorded error that is too large', async () => {
    const error = { name: 'CardError', message: 'm'.repeat(500_000), code: 'E1', statusCode: 402 };

    const [values] = await valuesOf({ status: 'FAILED', error });

    expect(values?.[':status']).to.deep.equal({ S: 'FAILED' });
    expect(JSON.parse(values?.[':error']?.S ?? '')).to.deep.equal({
      ...error,
      message: `${'m'.repeat(1000)}…`,
    });
    expect(values).not.to.have.property(':omitted');
  });
});

describe('itemBytes', () => {
  it('counts the UTF-8 bytes of names and values', () => {
    expect(itemBytes({ id: { S: 'é€' }, größe: { B: new Uint8Array(10) } })).to.equal(
      2 + 5 + 7 + 10,
    );
  });

  it('never counts a number for less than its digits need', () => {
    expect(itemBytes({ n: { N: '1764581338.123' } })).to.be.within(1 + 8, 1 + 21);
  });

  it('has the limit of 400 KB', () => {
    expect(MAX_ITEM_BYTES).to.equal(409_600);
  });
});

describe('decompress', () => {
  it('gives back what compress was given', async () => {
    for (const text of ['', '{"n":1}', '€'.repeat(100_000)]) {
      expect((await decompress(await compress(text))) === text).to.equal(true);
    }
  });

  it('stops at 16 MB, however small the bytes are', async () => {
    const limit = 16 * 1024 * 1024;
    expect(await decompress(await compress('a'.repeat(limit)))).to.have.lengthOf(limit);

    const bomb = await compress('a'.repeat(limit + 1));
    expect(bomb.byteLength).to.be.below(50_000);
    const error = await expectRejection(decompress(bomb), RangeError);
    expect(error.message).to.contain('larger than 16 MB');
  });

  it('rejects what is not gzipped', async () => {
    await expectRejection(decompress(Uint8Array.of(1, 2, 3)));
  });
});
