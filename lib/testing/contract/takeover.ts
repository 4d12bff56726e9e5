import assert from 'node:assert/strict';
import type { Completion } from '../../store/idempotency-store.js';
import {
  DAY_MS,
  expectLost,
  freshToken,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  YEAR_MS,
  type Bench,
  type ContractGroup,
} from './bench.js';
import { expectOneWinner } from './claim.js';

export function takeoverTests({ test, seededTest }: ContractGroup): void {
  test('takes a claim over one millisecond after its end plus the clock skew', async (bench) => {
    const { inProgressUntilMs } = await bench.claim();
    const endMs = inProgressUntilMs + bench.skewMs;

    await bench.refusedBy({ nowMs: endMs - 1 });
    await bench.refusedBy({ nowMs: endMs });
    const successor = await bench.claim({ nowMs: endMs + 1 });

    assert.equal(successor.tookOver, true);
    assert.equal((await bench.record()).claimToken, successor.token);
  });

  test('replaces an outcome one millisecond after its expiry plus the clock skew', async (bench) => {
    await bench.claimAndComplete();
    const { expiresAtMs = NaN } = await bench.record();
    const endMs = expiresAtMs + bench.skewMs;

    await bench.refusedBy({ nowMs: endMs - 1 });
    await bench.refusedBy({ nowMs: endMs });
    const successor = await bench.claim({ nowMs: endMs + 1 });

    assert.equal(successor.tookOver, false);
    assert.equal((await bench.record()).claimToken, successor.token);
  });

  test('lets one of many claims take over a lapsed one', async (bench) => {
    await bench.claim();

    await expectOneWinner(bench, { nowMs: (await bench.takeoverAtMs()) + 1 });
  });

  test('lets one of many claims replace an expired outcome', async (bench) => {
    await bench.claimAndComplete();

    await expectOneWinner(bench, { nowMs: (await bench.takeoverAtMs()) + 1 });
  });

  test('keeps nothing of the record that it replaces', async (bench) => {
    const outcomes: Partial<Completion>[] = [
      { result: '{"n":1}', encoding: 'custom' },
      { status: 'FAILED', error: { name: 'CardError', message: 'declined', code: 'E1' } },
      { resultOmitted: 'too-large' },
    ];
    let nowMs = bench.nowMs;
    for (const outcome of outcomes) {
      const former = await bench.claim({ nowMs, fingerprint: 'a'.repeat(64) });
      const completion = bench.completion({ ...outcome, nowMs });
      await bench.store.complete(former, completion);
      nowMs = (await bench.takeoverAtMs()) + 1;

      const { token, expiresAtMs, inProgressUntilMs } = await bench.claim({ nowMs });

      assert.deepEqual(await bench.record(), {
        id: bench.id,
        status: 'INPROGRESS',
        claimToken: token,
        inProgressUntilMs,
        takeoverAtMs: inProgressUntilMs + bench.skewMs,
        expiresAtMs,
      });
      nowMs = (await bench.takeoverAtMs()) + 1;
    }
  });

  test('lets either the late owner or the successor have the record, never both', async (bench) => {
    const claim = await bench.claim();
    const nowMs = claim.inProgressUntilMs + bench.skewMs + 1;

    const [completed, claimed] = await Promise.allSettled([
      bench.store.complete(claim, bench.completion({ nowMs })),
      bench.store.claim(bench.request({ nowMs })),
    ]);

    assert.equal(claimed.status, 'fulfilled');
    const { status } = await bench.record();
    if (claimed.value.claimed) {
      assert.equal(completed.status, 'rejected');
      assert.equal(status, 'INPROGRESS');
      await expectLost(bench.store.complete(claim, bench.completion({ nowMs })));
    } else {
      assert.equal(completed.status, 'fulfilled');
      assert.equal(status, 'COMPLETED');
    }
  });

  test('names in takeoverAtMs the last moment at which a record stands', async (bench) => {
    const scenes: Record<string, () => Promise<unknown>> = {
      'a claim': () => bench.claim(),
      'a claim longer than its ttl': () =>
        bench.claim({ ttlMs: SECOND_MS, inProgressUntilMs: bench.nowMs + HOUR_MS }),
      "a claim under onExpiredClaim: 'reject'": () => bench.claim({ onExpiredClaim: 'reject' }),
      'a renewed claim': async () => {
        await bench.store.renew(await bench.claim(), bench.nowMs + 2 * HOUR_MS + 1);
      },
      'an outcome': () => bench.claimAndComplete({ ttlMs: MINUTE_MS + 1 }),
      'an outcome kept shorter than its claim was to last': () =>
        bench.claimAndComplete({ ttlMs: 2 * SECOND_MS }),
      'a recorded error': () => bench.claimAndComplete({ status: 'FAILED' }),
    };
    for (const [scene, arrange] of Object.entries(scenes)) {
      await arrange();

      await expectToEndAtTakeover(bench, scene);
    }
  });

  seededTest('lets a claim without inProgressUntilMs live until its expiresAtMs', async (bench) => {
    await bench.seed({ expiresAtMs: wholeSecond(bench.nowMs + HOUR_MS), claimToken: freshToken() });

    const { takeoverAtMs, expiresAtMs = NaN } = await bench.record();
    assert.equal(takeoverAtMs, expiresAtMs + bench.skewMs);
    await bench.refusedBy({ nowMs: bench.nowMs + HOUR_MS / 2 });
    await bench.refusedBy({ nowMs: takeoverAtMs });
    const successor = await bench.claim({ nowMs: takeoverAtMs + 1 });
    assert.equal(successor.tookOver, true);
  });

  seededTest('replaces a claim that has expired before its lease is over', async (bench) => {
    const expiresAtMs = wholeSecond(bench.nowMs + MINUTE_MS);
    await bench.seed({ expiresAtMs, inProgressUntilMs: bench.nowMs + HOUR_MS });

    assert.equal(await bench.takeoverAtMs(), expiresAtMs + bench.skewMs);
    const successor = await expectToEndAtTakeover(bench, 'the claim');

    assert.equal(successor.tookOver, true);
  });

  seededTest('judges an outcome by its expiry alone', async (bench) => {
    const expiresAtMs = wholeSecond(bench.nowMs + HOUR_MS);
    const claimToken = freshToken();
    const inProgressUntilMs = bench.nowMs - HOUR_MS;
    await bench.seed({ status: 'COMPLETED', expiresAtMs, claimToken, inProgressUntilMs });

    assert.equal(await bench.takeoverAtMs(), expiresAtMs + bench.skewMs);
    await bench.refusedBy();
    const claim = { id: bench.id, token: claimToken, inProgressUntilMs, tookOver: false };
    await bench.expectUnchanged(() => bench.store.renew(claim, bench.nowMs + DAY_MS));
    await expectToEndAtTakeover(bench, 'the outcome');
  });

  seededTest('never replaces a record that carries no end', async (bench) => {
    for (const status of ['INPROGRESS', 'COMPLETED'] as const) {
      await bench.seed({ status });

      assert.equal((await bench.record()).takeoverAtMs, undefined);
      const record = await bench.refusedBy({ nowMs: bench.nowMs + 50 * YEAR_MS });
      assert.equal(record.status, status);
    }
  });

  seededTest('replays and takes over records without a token', async (bench) => {
    const expiresAtMs = wholeSecond(bench.nowMs + DAY_MS);
    await bench.seed({ status: 'COMPLETED', expiresAtMs, result: '"old"' });
    const replayed = await bench.refusedBy();
    assert.equal(replayed.result, '"old"');
    assert.equal(replayed.claimToken, undefined);

    await bench.seed({ expiresAtMs, inProgressUntilMs: bench.nowMs });
    const successor = await bench.claim({ nowMs: bench.nowMs + bench.skewMs + 1 });

    assert.equal(successor.tookOver, true);
  });
}

/** Expects the record to refuse claims up to its `takeoverAtMs`, and none after it; clears it. */
async function expectToEndAtTakeover(bench: Bench, scene: string) {
  const takeoverAtMs = await bench.takeoverAtMs();
  for (const nowMs of [takeoverAtMs - 1, takeoverAtMs]) {
    const { claimed } = await bench.store.claim(bench.request({ nowMs }));
    assert.equal(claimed, false, `${scene} was replaced too early`);
  }
  const outcome = await bench.store.claim(bench.request({ nowMs: takeoverAtMs + 1 }));
  assert.ok(outcome.claimed, `${scene} still stood after its takeoverAtMs`);
  await bench.store.release(outcome.claim);
  return outcome.claim;
}

function wholeSecond(ms: number): number {
  return Math.ceil(ms / SECOND_MS) * SECOND_MS;
}
