import { expect } from 'chai';
import type { ClaimRequest } from '../../lib/store/idempotency-store.js';
import { deferred } from '../support/deferred.js';
import { Harness } from '../execution/harness.js';

describe('a claim sent twice whose first copy lands while the call waits', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  // Otherwise the call would wait for itself, and its own claim would block the key for a lease.
  it('is worked under', async () => {
    const gate = deferred<string>();
    const elsewhere = { id: 'o1', token: 'elsewhere', inProgressUntilMs: 0, tookOver: false };
    const nowMs = harness.clock.now();
    await harness.memory.claim({
      ...elsewhere,
      nowMs,
      ttlMs: 1000,
      inProgressUntilMs: nowMs + 60_000,
      onExpiredClaim: 'run',
    });
    const waiting = harness.call(() => gate.promise, { wait: 5 });
    await harness.clock.advance(0);
    const [request] = harness.store.seen[0]?.args ?? [];

    await harness.memory.release(elsewhere);
    await harness.memory.claim(request as ClaimRequest);
    gate.resolve('done');
    await harness.clock.advance(5000);

    expect(await waiting).to.deep.equal({ status: 'executed', result: 'done' });
  });
});
