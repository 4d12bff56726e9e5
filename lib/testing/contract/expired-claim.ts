import assert from 'node:assert/strict';
import { HOUR_MS, MINUTE_MS, YEAR_MS, type ContractGroup } from './bench.js';

const reject = { onExpiredClaim: 'reject' } as const;

export function expiredClaimTests({ test }: ContractGroup): void {
  test('claims an id that has no record, without an expiry', async (bench) => {
    const claim = await bench.claim(reject);

    assert.equal('expiresAtMs' in claim, false);
    assert.equal(claim.tookOver, false);
    assert.deepEqual(await bench.record(), {
      id: bench.id,
      status: 'INPROGRESS',
      claimToken: claim.token,
      inProgressUntilMs: claim.inProgressUntilMs,
      takeoverAtMs: claim.inProgressUntilMs + bench.skewMs,
    });
  });

  test('never replaces a claim, however old', async (bench) => {
    const { token } = await bench.claim(reject);

    const record = await bench.refusedBy({ ...reject, nowMs: bench.nowMs + 50 * YEAR_MS });

    assert.equal(record.status, 'INPROGRESS');
    assert.equal(record.claimToken, token);
  });

  test("never replaces a claim that was made under 'run', not even an expired one", async (bench) => {
    const { token } = await bench.claim();

    const record = await bench.refusedBy({ ...reject, nowMs: bench.nowMs + 50 * YEAR_MS });

    assert.equal(record.claimToken, token);
  });

  test('replaces an expired outcome', async (bench) => {
    await bench.claimAndComplete();
    const takeoverAtMs = await bench.takeoverAtMs();

    await bench.refusedBy({ ...reject, nowMs: takeoverAtMs });
    const successor = await bench.claim({ ...reject, nowMs: takeoverAtMs + 1 });

    assert.equal(successor.tookOver, false);
    assert.equal((await bench.record()).expiresAtMs, undefined);
  });

  test("makes claims that lapse for a caller under 'run'", async (bench) => {
    await bench.claim(reject);
    const takeoverAtMs = await bench.takeoverAtMs();

    await bench.refusedBy({ nowMs: takeoverAtMs });
    const successor = await bench.claim({ nowMs: takeoverAtMs + 1 });

    assert.equal(successor.tookOver, true);
    await bench.expectCovered();
  });

  test('makes claims that a renewal gives no expiry', async (bench) => {
    const claim = await bench.claim(reject);

    await bench.store.renew(claim, bench.nowMs + HOUR_MS);

    const record = await bench.record();
    assert.equal(record.inProgressUntilMs, bench.nowMs + HOUR_MS);
    assert.equal('expiresAtMs' in record, false);
  });

  test('makes claims whose outcome expires', async (bench) => {
    const claim = await bench.claim(reject);
    const nowMs = bench.nowMs + MINUTE_MS;

    await bench.store.complete(claim, bench.completion({ nowMs, ttlMs: HOUR_MS }));

    bench.expectExpiry((await bench.record()).expiresAtMs, nowMs + HOUR_MS);
  });
}
