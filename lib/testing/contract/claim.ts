import assert from 'node:assert/strict';
import type { ClaimRequest } from '../../store/idempotency-store.js';
import {
  CONTENDERS,
  DAY_MS,
  freshToken,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type Bench,
  type ContractGroup,
} from './bench.js';

export function claimTests({ test }: ContractGroup): void {
  test('claims an id that has no record', async (bench) => {
    const request = bench.request({ fingerprint: 'f'.repeat(64) });

    const outcome = await bench.store.claim(request);

    assert.equal(outcome.claimed, true);
    const { expiresAtMs, ...claim } = outcome.claim;
    bench.expectExpiry(expiresAtMs, request.nowMs + request.ttlMs);
    assert.deepEqual(claim, {
      id: request.id,
      token: request.token,
      inProgressUntilMs: request.inProgressUntilMs,
      tookOver: false,
    });
  });

  test('keeps the claim as a record in progress', async (bench) => {
    const request = bench.request({ fingerprint: 'f'.repeat(64) });
    const { expiresAtMs } = await bench.claim(request);

    assert.deepEqual(await bench.record(), {
      id: request.id,
      status: 'INPROGRESS',
      inProgressUntilMs: request.inProgressUntilMs,
      takeoverAtMs: request.inProgressUntilMs + bench.skewMs,
      expiresAtMs,
      claimToken: request.token,
      fingerprint: request.fingerprint,
    });
  });

  test('lets one of many claims at the same moment win', async (bench) => {
    await expectOneWinner(bench, {});
  });

  test('refuses a claim while another is live and returns its record', async (bench) => {
    const claim = await bench.claim({ fingerprint: 'f'.repeat(64) });

    const record = await bench.refusedBy({ nowMs: bench.nowMs + SECOND_MS });

    assert.deepEqual(record, await bench.record());
    assert.equal(record.status, 'INPROGRESS');
    assert.equal(record.claimToken, claim.token);
  });

  test('returns the own record to a claim that is repeated with its token', async (bench) => {
    const request = bench.request();
    await bench.claim(request);

    const record = await bench.refusedBy(request);

    assert.equal(record.claimToken, request.token);
  });

  test('refuses a claim while an outcome is kept and returns it', async (bench) => {
    const claim = await bench.claimAndComplete({ result: '{"n":1}' });

    const record = await bench.refusedBy({ nowMs: bench.nowMs + 2 * SECOND_MS });

    assert.deepEqual(record, await bench.record());
    assert.equal(record.status, 'COMPLETED');
    assert.equal(record.result, '{"n":1}');
    assert.equal(record.claimToken, claim.token);
  });

  test('changes nothing when it refuses a claim', async (bench) => {
    await bench.claim({ fingerprint: 'a'.repeat(64) });
    const other = {
      nowMs: bench.nowMs + SECOND_MS,
      ttlMs: DAY_MS,
      inProgressUntilMs: bench.nowMs + HOUR_MS,
      fingerprint: 'b'.repeat(64),
    } as const;

    await bench.expectUnchanged(() => bench.refusedBy(other));
    await bench.expectUnchanged(() => bench.refusedBy({ ...other, onExpiredClaim: 'reject' }));
  });

  test('changes nothing when it refuses a claim of a completed record', async (bench) => {
    await bench.claimAndComplete({ result: '{"n":1}' });

    await bench.expectUnchanged(() => bench.refusedBy({ ttlMs: DAY_MS }));
    await bench.expectUnchanged(() => bench.refusedBy({ onExpiredClaim: 'reject' }));
  });

  test('keeps a claim at least as long as its lease and the clock skew', async (bench) => {
    for (const leaseMs of [1001, 61_877, DAY_MS + 1]) {
      const id = `${bench.id}-${String(leaseMs)}`;
      const inProgressUntilMs = bench.nowMs + leaseMs;

      const claim = await bench.claim({ id, ttlMs: SECOND_MS, inProgressUntilMs });

      bench.expectExpiry(claim.expiresAtMs, inProgressUntilMs + bench.skewMs);
      assert.equal((await bench.record(id)).expiresAtMs, claim.expiresAtMs);
    }
  });

  test('refuses claims until the lease is over when the ttl is shorter', async (bench) => {
    await bench.claim({ ttlMs: SECOND_MS, inProgressUntilMs: bench.nowMs + HOUR_MS });

    await bench.refusedBy({ nowMs: bench.nowMs + MINUTE_MS });
    await bench.refusedBy({ nowMs: bench.nowMs + HOUR_MS + bench.skewMs });
  });
}

/** Races claims for the bench's id and expects one of them to get it and the others its record. */
export async function expectOneWinner(
  bench: Bench,
  overrides: Partial<ClaimRequest>,
): Promise<void> {
  const outcomes = await Promise.all(
    Array.from({ length: CONTENDERS }, () =>
      bench.store.claim(bench.request({ ...overrides, token: freshToken() })),
    ),
  );

  const winners = outcomes.flatMap((outcome) => (outcome.claimed ? [outcome.claim] : []));
  assert.equal(winners.length, 1, `${String(winners.length)} of ${String(CONTENDERS)} claims won`);
  for (const outcome of outcomes) {
    if (!outcome.claimed) assert.equal(outcome.record?.claimToken, winners[0]?.token);
  }
  assert.equal((await bench.record()).claimToken, winners[0]?.token);
}
