import assert from 'node:assert/strict';
import {
  DAY_MS,
  expectLost,
  freshToken,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type ContractGroup,
} from './bench.js';

export function renewTests({ test }: ContractGroup): void {
  test('moves the end of the claim', async (bench) => {
    const claim = await bench.claim();
    const untilMs = bench.nowMs + 2 * MINUTE_MS + 1;

    await bench.store.renew(claim, untilMs);

    const { inProgressUntilMs, claimToken, status } = await bench.record();
    assert.equal(inProgressUntilMs, untilMs);
    assert.equal(claimToken, claim.token);
    assert.equal(status, 'INPROGRESS');
    await bench.refusedBy({ nowMs: untilMs + bench.skewMs });
    await bench.claim({ nowMs: untilMs + bench.skewMs + 1 });
  });

  test('keeps a claim that outlives its ttl from expiring', async (bench) => {
    const claim = await bench.claim({ ttlMs: 2 * SECOND_MS });
    for (const untilMs of [bench.nowMs + HOUR_MS + 1, bench.nowMs + DAY_MS + 1]) {
      await bench.store.renew(claim, untilMs);

      await bench.expectCovered();
      bench.expectExpiry((await bench.record()).expiresAtMs, untilMs + bench.skewMs);
      await bench.refusedBy({ nowMs: untilMs + bench.skewMs });
    }
  });

  test('never moves the expiry back', async (bench) => {
    const claim = await bench.claim({ ttlMs: DAY_MS });

    await bench.store.renew(claim, bench.nowMs + HOUR_MS);

    assert.equal((await bench.record()).expiresAtMs, claim.expiresAtMs);
  });

  test('keeps the rest of the record', async (bench) => {
    const claim = await bench.claim({ ttlMs: DAY_MS, fingerprint: 'f'.repeat(64) });
    const before = await bench.record();
    const inProgressUntilMs = bench.nowMs + HOUR_MS;

    await bench.store.renew(claim, inProgressUntilMs);

    const takeoverAtMs = inProgressUntilMs + bench.skewMs;
    assert.deepEqual(await bench.record(), { ...before, inProgressUntilMs, takeoverAtMs });
  });

  test('changes nothing when it is repeated', async (bench) => {
    const claim = await bench.claim();
    await bench.store.renew(claim, bench.nowMs + HOUR_MS);

    await bench.expectUnchanged(() => bench.store.renew(claim, bench.nowMs + HOUR_MS));
  });

  test('changes nothing when it comes after a later one', async (bench) => {
    const claim = await bench.claim({ ttlMs: SECOND_MS });
    await bench.store.renew(claim, bench.nowMs + 2 * HOUR_MS);

    await bench.expectUnchanged(() => bench.store.renew(claim, bench.nowMs + HOUR_MS));
    await bench.expectUnchanged(() => bench.store.renew(claim, bench.nowMs + SECOND_MS));
  });

  test('ends at the latest of several at once', async (bench) => {
    const claim = await bench.claim({ ttlMs: SECOND_MS });
    const minutes = [7, 3, 9, 5, 8, 2];

    await Promise.all(
      minutes.map((minute) => bench.store.renew(claim, bench.nowMs + minute * MINUTE_MS)),
    );

    assert.equal((await bench.record()).inProgressUntilMs, bench.nowMs + 9 * MINUTE_MS);
    await bench.expectCovered();
  });

  test('renews a claim that has lapsed and that nobody took over', async (bench) => {
    const claim = await bench.claim({ ttlMs: SECOND_MS });
    const lapsedMs = claim.inProgressUntilMs + bench.skewMs + MINUTE_MS;

    await bench.store.renew(claim, lapsedMs + HOUR_MS);

    await bench.refusedBy({ nowMs: lapsedMs });
    await bench.expectCovered();
  });

  test('rejects as lost when the record carries another token', async (bench) => {
    const claim = await bench.claim();

    await bench.expectUnchanged(() =>
      expectLost(bench.store.renew({ ...claim, token: freshToken() }, bench.nowMs + HOUR_MS)),
    );
  });

  test('rejects as lost when another claim took over', async (bench) => {
    const claim = await bench.claim();
    await bench.claim({ nowMs: (await bench.takeoverAtMs()) + 1 });

    await bench.expectUnchanged(() => expectLost(bench.store.renew(claim, bench.nowMs + HOUR_MS)));
  });

  test('rejects as lost when the record is gone, and makes none', async (bench) => {
    const claim = await bench.claim();
    await bench.store.release(claim);

    await expectLost(bench.store.renew(claim, bench.nowMs + HOUR_MS));

    assert.equal(await bench.store.get(bench.id), undefined);
  });

  test('leaves the own outcome alone and resolves', async (bench) => {
    const claim = await bench.claimAndComplete();

    await bench.expectUnchanged(() => bench.store.renew(claim, bench.nowMs + DAY_MS));
  });
}
