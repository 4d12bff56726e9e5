import assert from 'node:assert/strict';
import { freshToken, HOUR_MS, MINUTE_MS, type ContractGroup } from './bench.js';

export function releaseTests({ test }: ContractGroup): void {
  test('deletes the claim', async (bench) => {
    const claim = await bench.claim();

    await bench.store.release(claim);

    assert.equal(await bench.store.get(bench.id), undefined);
  });

  test('frees the id for a claim at the same moment', async (bench) => {
    await bench.store.release(await bench.claim());

    const next = await bench.claim();

    assert.equal(next.tookOver, false);
    assert.equal((await bench.record()).claimToken, next.token);
  });

  test('needs no more than id and token', async (bench) => {
    const { id, token } = await bench.claim({ onExpiredClaim: 'reject' });

    await bench.store.release({ id, token });

    assert.equal(await bench.store.get(id), undefined);
  });

  test('deletes a claim that has been renewed', async (bench) => {
    const claim = await bench.claim();
    await bench.store.renew(claim, bench.nowMs + HOUR_MS);

    await bench.store.release(claim);

    assert.equal(await bench.store.get(bench.id), undefined);
  });

  test('leaves a claim with another token as it is', async (bench) => {
    const { id } = await bench.claim();

    await bench.expectUnchanged(() => bench.store.release({ id, token: freshToken() }));
  });

  test('leaves the claim that took over as it is', async (bench) => {
    const claim = await bench.claim();
    await bench.claim({ nowMs: (await bench.takeoverAtMs()) + 1 });

    await bench.expectUnchanged(() => bench.store.release(claim));
  });

  test('leaves the claim that came after it as it is when it is repeated', async (bench) => {
    const claim = await bench.claim();
    await bench.store.release(claim);
    await bench.store.release(claim);
    await bench.claim({ nowMs: bench.nowMs + MINUTE_MS });

    await bench.expectUnchanged(() => bench.store.release(claim));
  });

  test('never deletes an outcome', async (bench) => {
    for (const status of ['COMPLETED', 'FAILED'] as const) {
      const claim = await bench.claimAndComplete({ status });

      await bench.expectUnchanged(() => bench.store.release(claim));
      await bench.store.forget(bench.id);
    }
  });

  test('resolves when there is no record', async (bench) => {
    await bench.expectUnchanged(() => bench.store.release({ id: bench.id, token: freshToken() }));
  });
}
