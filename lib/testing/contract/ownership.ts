import assert from 'node:assert/strict';
import { expectLost, freshId, HOUR_MS, type ContractGroup } from './bench.js';

/*
 * Ownership goes by the token alone. Two callers may have the same id, lease, ttl, fingerprint and
 * time in common, so a store that judges by any of these lets a stranger in.
 */

export function ownershipTests({ test, seededTest }: ContractGroup): void {
  test('tells claims apart that are equal in all but the token', async (bench) => {
    const winner = await bench.claim({ fingerprint: 'f'.repeat(64) });
    const loser = bench.request({ fingerprint: 'f'.repeat(64) });
    await bench.store.claim(loser);
    const pretended = { ...winner, token: loser.token };

    await bench.expectUnchanged(async () => {
      await expectLost(bench.store.renew(pretended, bench.nowMs + HOUR_MS));
      await expectLost(bench.store.complete(pretended, bench.completion()));
      await bench.store.release(pretended);
    });
  });

  test('keeps a token to the id it claimed', async (bench) => {
    const claim = await bench.claim();
    const otherId = freshId();
    await bench.claim({ id: otherId });
    const before = await bench.record(otherId);

    await expectLost(bench.store.renew({ ...claim, id: otherId }, bench.nowMs + HOUR_MS));
    await expectLost(bench.store.complete({ ...claim, id: otherId }, bench.completion()));
    await bench.store.release({ ...claim, id: otherId });

    assert.deepEqual(await bench.record(otherId), before);
  });

  test('lets the late owner change nothing once its successor has finished', async (bench) => {
    const late = await bench.claim();
    const nowMs = (await bench.takeoverAtMs()) + 1;
    const successor = await bench.claim({ nowMs });
    await bench.store.complete(successor, bench.completion({ nowMs, result: '"second"' }));

    await bench.expectUnchanged(async () => {
      await expectLost(bench.store.renew(late, nowMs + HOUR_MS));
      await expectLost(bench.store.complete(late, bench.completion({ nowMs, result: '"first"' })));
      await bench.store.release(late);
    });
  });

  seededTest('lets nobody own a record without a token', async (bench) => {
    const inProgressUntilMs = bench.nowMs + HOUR_MS;
    await bench.seed({ inProgressUntilMs });
    const claim = { id: bench.id, token: '', inProgressUntilMs, tookOver: false };

    for (const token of ['x', 'undefined', 'null']) {
      await bench.expectUnchanged(async () => {
        await expectLost(bench.store.renew({ ...claim, token }, bench.nowMs + 2 * HOUR_MS));
        await expectLost(bench.store.complete({ ...claim, token }, bench.completion()));
        await bench.store.release({ ...claim, token });
      });
    }
  });
}
