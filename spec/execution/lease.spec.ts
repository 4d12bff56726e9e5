import { expect } from 'chai';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { Harness } from './harness.js';

/** A Lambda context with this much time left on the harness's clock. */
function contextWith(remaining: unknown): { getRemainingTimeInMillis(): number } {
  return { getRemainingTimeInMillis: () => remaining as number };
}

describe('lease', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  /** How long the claim of a call lasts, seen while the method runs. */
  async function leaseOf(options: Parameters<Harness['call']>[1]): Promise<number> {
    const startMs = harness.clock.now();
    let untilMs = 0;
    await harness.call(async () => {
      untilMs = (await harness.memory.get('o1'))?.inProgressUntilMs ?? 0;
    }, options as object);
    return untilMs - startMs;
  }

  it('is a minute without a context', async () => {
    expect(await leaseOf({})).to.equal(60_000);
  });

  it('ends with the invocation under a Lambda context', async () => {
    expect(await leaseOf({ context: contextWith(29_500) })).to.equal(29_500);
  });

  it('is never renewed under a Lambda context', async () => {
    const gate = deferred();
    const call = harness.call(() => gate.promise, { context: contextWith(600_000) });
    await harness.clock.advance(599_000);

    expect(harness.store.count('renew')).to.equal(0);
    gate.resolve();
    await call;
  });

  // F10
  it('wins over the context when it is given', async () => {
    expect(await leaseOf({ lease: 3600, context: contextWith(30_000) })).to.equal(3_600_000);
  });

  // F21
  it('follows each call, not the environment', async () => {
    const gate = deferred();
    const calls = [1000, 300_000].map((remaining, index) =>
      harness.call(() => gate.promise, {
        key: `o${String(index)}`,
        context: contextWith(remaining),
      }),
    );
    await harness.clock.advance(0);

    const nowMs = harness.clock.now();
    expect((await harness.memory.get('o0'))?.inProgressUntilMs).to.equal(nowMs + 1000);
    expect((await harness.memory.get('o1'))?.inProgressUntilMs).to.equal(nowMs + 300_000);
    gate.resolve();
    await Promise.all(calls);
  });

  for (const remaining of [0, -5, 1, 999]) {
    it(`is at least a second with ${String(remaining)} ms left`, async () => {
      expect(await leaseOf({ context: contextWith(remaining) })).to.equal(1000);
    });
  }

  for (const remaining of [NaN, undefined, Infinity, '30000', null]) {
    it(`is a minute when the context says ${String(remaining)}`, async () => {
      expect(await leaseOf({ context: contextWith(remaining) })).to.equal(60_000);
    });
  }

  it('is a minute when the context throws', async () => {
    const context = {
      getRemainingTimeInMillis(): number {
        throw new Error('no context');
      },
    };
    expect(await leaseOf({ context })).to.equal(60_000);
  });

  it('is a minute when the context function throws', async () => {
    const context = (): never => {
      throw new Error('no context');
    };
    expect(await leaseOf({ context })).to.equal(60_000);
  });

  it('renews the short claim of a call with no time left', async () => {
    const gate = deferred();
    const call = harness.call(() => gate.promise, { context: contextWith(0) });
    await harness.clock.advance(5000);

    expect((await harness.call(() => undefined)).status).to.equal('in-progress');
    gate.resolve();
    await call;
  });

  // F40
  it('leaves the caller half a second of its remaining time in every store operation', async () => {
    await harness.call(() => 'done', { context: contextWith(3000) });

    const limits = harness.store.seen.map(({ args }) => args.at(-1));
    expect(limits).to.deep.equal([{ timeoutMs: 2500 }, { timeoutMs: 2500 }]);
  });

  it('sets no bound of its own without a context', async () => {
    await harness.call(() => 'done');

    expect(harness.store.seen.map(({ args }) => args.at(-1))).to.deep.equal([{}, {}]);
  });
});

describe('renewal', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  it('keeps the key through many leases while the method runs', async () => {
    const gate = deferred<string>();
    const call = harness.call(() => gate.promise, { lease: 3 });
    for (let second = 0; second < 60; second++) {
      await harness.clock.advance(1000);
      expect((await harness.call(() => 'second run', { lease: 3 })).status).to.equal('in-progress');
    }

    gate.resolve('only run');
    expect(await call).to.deep.equal({ status: 'executed', result: 'only run' });
    expect(harness.store.count('renew')).to.equal(60);
  });

  // A ttl shorter than the run: the record must not expire under its owner.
  it('moves the expiry with the claim', async () => {
    const gate = deferred();
    const call = harness.call(() => gate.promise, { lease: 3, ttl: 2 });
    await harness.clock.advance(9000);

    const row = await harness.memory.get('o1');
    expect(row?.expiresAtMs).to.be.at.least(row?.inProgressUntilMs ?? Infinity);
    gate.resolve();
    await call;
  });

  it('ends with the method and leaves no timer', async () => {
    await harness.call(() => 'done');
    expect(harness.clock.pendingTimers).to.equal(0);

    await expectRejection(harness.call(() => Promise.reject(new Error('no')), { key: 'o2' }));
    expect(harness.clock.pendingTimers).to.equal(0);
  });

  it('keeps no process alive', async () => {
    const gate = deferred();
    const call = harness.call(() => gate.promise);
    await harness.clock.advance(0);

    expect(harness.clock.pendingTimers).to.equal(1);
    expect(harness.clock.referencedTimers).to.equal(0);
    gate.resolve();
    await call;
  });

  it('goes on after a failure, which is nobody else’s business', async () => {
    const gate = deferred();
    harness.store.next('renew', () => Promise.reject(new Error('outage')));
    const call = harness.call(() => gate.promise, { lease: 3 });
    await harness.clock.advance(2000);

    expect(harness.types()).to.deep.equal(['claimed', 'store-error', 'renewed']);
    gate.resolve();
    await call;
  });

  it('ends after renewFor, says so, and the claim lapses', async () => {
    const call = harness.call(() => deferred().promise, { lease: 3, renewFor: 5 });
    await harness.clock.advance(10_000);

    expect(harness.types().at(-1)).to.equal('renewal-ended');
    expect((await harness.call(() => 'next')).status).to.equal('executed');
    void call;
  });

  it('stops when it finds the claim lost, and the caller hears of it with its result', async () => {
    const gate = deferred<string>();
    const call = harness.call(() => gate.promise, { lease: 3 });
    await harness.clock.advance(0);
    await harness.memory.forget('o1', { force: true });
    await harness.clock.advance(10_000);

    expect(harness.store.count('renew')).to.equal(1);
    gate.resolve('late');
    const error = await expectRejection(call);
    expect(error).to.include({ code: 'ERR_IDEMPOTENCY_CLAIM_LOST', result: 'late' });
    expect(harness.types().filter((type) => type === 'claim-lost')).to.have.lengthOf(1);
  });

  // F44
  it('settles before the outcome is recorded, and starts no timer again', async () => {
    const gate = deferred();
    const renewing = deferred();
    harness.store.next('renew', async (forward) => {
      await renewing.promise;
      return forward();
    });
    const call = harness.call(() => gate.promise, { lease: 3 });
    await harness.clock.advance(1000);
    gate.resolve();
    await harness.clock.advance(0);
    expect(harness.store.count('complete')).to.equal(0);

    renewing.resolve();
    await call;

    expect(harness.clock.pendingTimers).to.equal(0);
    expect((await harness.memory.get('o1'))?.status).to.equal('COMPLETED');
  });
});
