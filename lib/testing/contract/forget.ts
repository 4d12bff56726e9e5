import assert from 'node:assert/strict';
import { DAY_MS, expectLost, HOUR_MS, MINUTE_MS, YEAR_MS, type ContractGroup } from './bench.js';

export function forgetTests({ test, seededTest }: ContractGroup): void {
  test('removes an outcome', async (bench) => {
    for (const status of ['COMPLETED', 'FAILED'] as const) {
      await bench.claimAndComplete({ status });

      assert.equal(await bench.store.forget(bench.id, { nowMs: bench.nowMs }), true);

      assert.equal(await bench.store.get(bench.id), undefined);
    }
  });

  test('removes an expired outcome', async (bench) => {
    await bench.claimAndComplete();

    const nowMs = bench.nowMs + YEAR_MS;
    assert.equal(await bench.store.forget(bench.id, { nowMs }), true);

    assert.equal(await bench.store.get(bench.id), undefined);
  });

  test('leaves a live claim alone', async (bench) => {
    for (const onExpiredClaim of ['run', 'reject'] as const) {
      const { inProgressUntilMs, ...claim } = await bench.claim({ onExpiredClaim });

      await bench.expectUnchanged(async () => {
        for (const nowMs of [bench.nowMs, inProgressUntilMs + bench.skewMs]) {
          assert.equal(await bench.store.forget(bench.id, { nowMs }), false);
          assert.equal(await bench.store.forget(bench.id, { nowMs, force: false }), false);
        }
      });
      await bench.store.release(claim);
    }
  });

  test('removes a claim that has lapsed', async (bench) => {
    for (const onExpiredClaim of ['run', 'reject'] as const) {
      await bench.claim({ onExpiredClaim });

      const nowMs = (await bench.takeoverAtMs()) + 1;
      assert.equal(await bench.store.forget(bench.id, { nowMs }), true);

      assert.equal(await bench.store.get(bench.id), undefined);
    }
  });

  test('removes a live claim when it is forced', async (bench) => {
    const { nowMs } = bench;
    const claim = await bench.claim();

    assert.equal(await bench.store.forget(bench.id, { force: true, nowMs }), true);

    assert.equal(await bench.store.get(bench.id), undefined);
    await expectLost(bench.store.complete(claim, bench.completion()));
    await bench.claim();
  });

  test('judges at the current time by default', async (bench) => {
    const nowMs = Date.now() - HOUR_MS;
    await bench.claim({ nowMs, ttlMs: 2 * DAY_MS, inProgressUntilMs: nowMs + MINUTE_MS });
    assert.equal(await bench.store.forget(bench.id), true);

    await bench.claim({ nowMs: Date.now(), inProgressUntilMs: Date.now() + HOUR_MS });
    assert.equal(await bench.store.forget(bench.id), false);
  });

  test('resolves to false when there is no record', async (bench) => {
    assert.equal(await bench.store.forget(bench.id), false);
    assert.equal(await bench.store.forget(bench.id, { force: true }), false);
    assert.equal(await bench.store.get(bench.id), undefined);
  });

  seededTest('leaves a claim that carries no end alone unless it is forced', async (bench) => {
    await bench.seed({ status: 'INPROGRESS' });

    const nowMs = bench.nowMs + 50 * YEAR_MS;
    await bench.expectUnchanged(async () => {
      assert.equal(await bench.store.forget(bench.id, { nowMs }), false);
    });
    assert.equal(await bench.store.forget(bench.id, { nowMs, force: true }), true);
  });
}
