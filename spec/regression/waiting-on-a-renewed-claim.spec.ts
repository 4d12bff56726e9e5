import { expect } from 'chai';
import type { Outcome } from '../../lib/execution/outcome.js';
import { deferred } from '../support/deferred.js';
import { dropped } from '../support/intercepted-store.js';
import { Harness } from '../execution/harness.js';

describe('waiting for a call that runs longer than its lease', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  it('judges what is in the table now, not what an earlier waiting call read', async () => {
    const gate = deferred<string>();
    const options = { onExpiredClaim: 'reject' } as const;
    const first = harness.call(() => gate.promise, options);
    await harness.clock.advance(0);
    const early = harness.call(() => 'second', { ...options, wait: 5 });
    await harness.clock.advance(5000);
    expect((await early).status).to.equal('in-progress');

    await harness.clock.advance(90_000);
    const late = harness.call(() => 'third', { ...options, wait: 5 });
    const settled = late.catch((error: unknown) => error);
    await harness.clock.advance(5000);

    expect(await settled).to.deep.include({ status: 'in-progress', retryAfterMs: 60_000 });
    gate.resolve('done');
    await first;
  });

  it('forgets an earlier read that failed', async () => {
    const gate = deferred<string>();
    const first = harness.call(() => gate.promise);
    await harness.clock.advance(0);
    harness.store.next('get', dropped());
    const early = harness.call(() => 'second', { wait: 5 });
    await harness.clock.advance(5000);
    await early;

    const late = harness.call(() => 'third', { wait: 5 });
    await harness.clock.advance(5000);

    expect(await late).to.deep.include({ status: 'in-progress', retryAfterMs: 50_000 });
    gate.resolve('done');
    await first;
  });

  it('judges a slow read by the time it was asked at', async () => {
    const nowMs = harness.clock.now();
    const claim = {
      id: 'o1',
      token: 'elsewhere',
      inProgressUntilMs: nowMs + 1000,
      tookOver: false,
    };
    await harness.memory.claim({ ...claim, nowMs, ttlMs: 3_600_000, onExpiredClaim: 'reject' });
    harness.store.next('get', async (forward) => {
      const record = await forward();
      await harness.memory.renew(claim, nowMs + 20_000);
      await harness.clock.advance(2000);
      return record;
    });

    const call = harness.call(() => 'second', { wait: 5, onExpiredClaim: 'reject' });
    const settled = call.catch((error: unknown) => error);
    await harness.clock.advance(10_000);

    expect(((await settled) as Outcome<string>).status).to.equal('in-progress');
  });

  it('keeps to its patience although the clock is set back', async () => {
    const nowMs = harness.clock.now();
    await harness.memory.claim({
      id: 'o1',
      token: 'elsewhere',
      inProgressUntilMs: nowMs + 60_000,
      nowMs,
      ttlMs: 3_600_000,
      onExpiredClaim: 'run',
    });

    let outcome: Outcome<string> | undefined;
    void harness.call(() => 'second', { wait: 5 }).then((value) => (outcome = value));
    await harness.clock.advance(1000);
    harness.clock.set(harness.clock.now() - 3_600_000);
    await harness.clock.advance(10_000);

    expect(outcome?.status).to.equal('in-progress');
  });
});
