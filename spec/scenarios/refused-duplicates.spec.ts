import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  IdempotencyInProgressError,
  IdempotencyPayloadMismatchError,
} from '../../lib/errors/index.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { Harness } from '../execution/harness.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

describe('a refused duplicate', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  const withAmount = (amount: number) => ({ fingerprint: () => ({ amount }) });
  let runs = 0;
  const body = (): number => (runs += 1);

  beforeEach(() => {
    runs = 0;
  });

  // F02, F49
  it('with another payload leaves the completed record as it is, byte for byte', async () => {
    await harness.call(body, withAmount(10));
    const before = await harness.memory.get('o1');

    await expectRejection(harness.call(body, withAmount(99)), IdempotencyPayloadMismatchError);
    await expectRejection(harness.call(body, withAmount(99)), IdempotencyPayloadMismatchError);

    expect(await harness.memory.get('o1')).to.deep.equal(before);
    expect(harness.store.count('release')).to.equal(0);
    expect(await harness.call(body, withAmount(10))).to.include({ status: 'replayed', result: 1 });
    expect(runs).to.equal(1);
  });

  // F02
  it('with another payload leaves the running claim as it is', async () => {
    const gate = deferred<number>();
    const first = harness.call(() => gate.promise, withAmount(10));
    await harness.clock.advance(0);
    const before = await harness.memory.get('o1');

    await expectRejection(harness.call(body, withAmount(99)), IdempotencyPayloadMismatchError);

    expect(await harness.memory.get('o1')).to.deep.equal(before);
    expect(harness.store.count('release')).to.equal(0);
    expect((await harness.call(body, withAmount(10))).status).to.equal('in-progress');
    gate.resolve(7);
    await first;
    expect(await harness.call(body, withAmount(10))).to.include({ status: 'replayed', result: 7 });
    expect(runs).to.equal(0);
  });

  // F91
  it('with another payload tells what the first call recorded, out of sight', async () => {
    await harness.call(() => 'receipt-4242', withAmount(10));

    const error = await expectRejection(
      harness.call(body, withAmount(99)),
      IdempotencyPayloadMismatchError,
    );

    expect(error.record).to.include({ status: 'COMPLETED', result: '"receipt-4242"' });
    expect(error.record.completedAtMs).to.equal(harness.clock.now());
    expect(inspect(error)).to.not.match(/receipt-4242|"o1"|'o1'/u);
  });

  // F41
  it('of a message whose first delivery was killed says when to come back; then it runs', async () => {
    const deliver = makeIdempotent(
      async (record: { messageId: string }, remainingMs: number) => {
        runs += 1;
        if (runs === 1) await deferred().promise; // The process dies here.
        return Promise.resolve(`${record.messageId} done in ${String(remainingMs)}`);
      },
      {
        namespace: 'queue',
        key: (record) => record.messageId,
        context: (_record, remainingMs) => ({ getRemainingTimeInMillis: () => remainingMs }),
      },
    );
    const redeliver = (): Promise<string> =>
      withIdempotency({ store: harness.store, clock: harness.clock }, () =>
        deliver({ messageId: 'm1' }, 30_000),
      );
    void redeliver();
    await harness.clock.advance(20_000);

    const early = await expectRejection(redeliver(), IdempotencyInProgressError);
    expect(early).to.include({ retryAfterMs: 10_000, statusCode: 409 });
    expect(early.until.getTime()).to.equal(harness.clock.now() + 10_000);
    await harness.clock.advance(early.retryAfterMs);
    expect((await expectRejection(redeliver(), IdempotencyInProgressError)).retryAfterMs).to.equal(
      0,
    );

    await harness.clock.advance(1);
    expect(await redeliver()).to.equal('m1 done in 30000');
    expect(runs).to.equal(2);
  });

  // F41
  it('of a store with clock skew counts the skew in', async () => {
    const skewed = new Harness(5);
    void skewed.call(() => deferred().promise, { renewFor: 0 });
    await skewed.clock.advance(0);

    expect(await skewed.call(body)).to.include({ status: 'in-progress', retryAfterMs: 65_000 });
    await skewed.clock.advance(65_000);
    expect((await skewed.call(body)).status).to.equal('in-progress');
    await skewed.clock.advance(1);
    expect((await skewed.call(body)).status).to.equal('executed');
    skewed.dispose();
  });
});
