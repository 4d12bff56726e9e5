import assert from 'node:assert/strict';
import { isIdempotencyCommitError } from '../../errors/guards.js';
import type { Claim, Commit, Completion } from '../../store/idempotency-store.js';
import type { EffectsHarness } from '../store-harness.js';
import {
  expectLost,
  freshId,
  freshToken,
  SECOND_MS,
  type Bench,
  type ContractGroup,
} from './bench.js';

/*
 * Effects count how often a write was applied. Their names are fresh ids, like the records'.
 */

export function commitTests({ test }: ContractGroup, effects: EffectsHarness): void {
  /** A commit of one write to the effect `name`, and of the claim where one is given. */
  const commitOf = (
    bench: Bench,
    name: string,
    claim?: Claim,
    overrides: Partial<Completion> = {},
  ): Commit => ({
    token: claim?.token ?? freshToken(),
    ...(claim === undefined
      ? undefined
      : { outcome: { claim, completion: bench.completion(overrides) } }),
    writes: [effects.write(bench.store, name)],
  });
  const expectCount = async (bench: Bench, name: string, expected: number): Promise<void> => {
    const actual = await effects.count(bench.store, name);
    assert.equal(actual, expected, `Expected the write to be applied ${String(expected)} times`);
  };
  const send = (bench: Bench, commit: Commit): Promise<void> => {
    if (bench.store.commit === undefined) assert.fail('Expected the store to have `commit`');
    return bench.store.commit(commit);
  };

  test('completes the claim and applies the writes', async (bench) => {
    const claim = await bench.claim({ fingerprint: 'f'.repeat(64) });
    const names = [freshId(), freshId()] as const;
    const commit = commitOf(bench, names[0], claim);
    const writes = [...commit.writes, effects.write(bench.store, names[1])];
    await send(bench, { ...commit, writes });

    const { status, result, claimToken, fingerprint, completedAtMs, inProgressUntilMs } =
      await bench.record();
    assert.deepEqual(
      { status, result, claimToken, fingerprint, completedAtMs, inProgressUntilMs },
      {
        status: 'COMPLETED',
        result: '{"status":"placed"}',
        claimToken: claim.token,
        fingerprint: 'f'.repeat(64),
        completedAtMs: bench.nowMs + SECOND_MS,
        inProgressUntilMs: undefined,
      },
    );
    await expectCount(bench, names[0], 1);
    await expectCount(bench, names[1], 1);
  });

  test('leaves the record that complete leaves', async (bench) => {
    const result = '"\u{1F41D} and \\u0000"';
    const committed = await bench.claim();
    await send(bench, commitOf(bench, freshId(), committed, { result, encoding: 'custom' }));
    const other = freshId();
    const completed = await bench.claim({ id: other, token: committed.token });
    await bench.store.complete(completed, bench.completion({ result, encoding: 'custom' }));

    assert.deepEqual({ ...(await bench.record()), id: other }, await bench.record(other));
  });

  test('applies nothing twice when it is repeated', async (bench) => {
    const claim = await bench.claim();
    const name = freshId();
    const commit = commitOf(bench, name, claim);
    await send(bench, commit);

    await bench.expectUnchanged(() => send(bench, commit));
    await bench.expectUnchanged(() => send(bench, { ...commit }));
    await expectCount(bench, name, 1);
  });

  test('applies the writes alone where there is no claim, and nothing twice', async (bench) => {
    const name = freshId();
    const commit = commitOf(bench, name);
    await send(bench, commit);
    await send(bench, commit);

    await expectCount(bench, name, 1);
    assert.equal(await bench.store.get(bench.id), undefined);
  });

  test('applies writes of different tokens each', async (bench) => {
    const name = freshId();
    await send(bench, commitOf(bench, name));
    await send(bench, commitOf(bench, name));

    await expectCount(bench, name, 2);
  });

  test('applies nothing under another token', async (bench) => {
    const claim = await bench.claim();
    const name = freshId();
    const stranger = { ...claim, token: freshToken() };

    await bench.expectUnchanged(() => expectLost(send(bench, commitOf(bench, name, stranger))));
    await expectCount(bench, name, 0);
  });

  test('applies nothing once another claim took over', async (bench) => {
    const late = await bench.claim();
    const nowMs = (await bench.takeoverAtMs()) + 1;
    const successor = await bench.claim({ nowMs });
    const name = freshId();

    await bench.expectUnchanged(() => expectLost(send(bench, commitOf(bench, name, late))));
    await send(bench, commitOf(bench, name, successor));
    await bench.expectUnchanged(() => expectLost(send(bench, commitOf(bench, name, late))));
    await expectCount(bench, name, 1);
  });

  test('applies nothing once the claim is released', async (bench) => {
    const claim = await bench.claim();
    await bench.store.release(claim);
    const name = freshId();

    await expectLost(send(bench, commitOf(bench, name, claim)));
    assert.equal(await bench.store.get(bench.id), undefined);
    await expectCount(bench, name, 0);
  });

  test('commits after the claim has lapsed, as long as nobody took it over', async (bench) => {
    const claim = await bench.claim();
    const nowMs = (await bench.takeoverAtMs()) + SECOND_MS;
    const name = freshId();
    await send(bench, commitOf(bench, name, claim, { nowMs }));

    assert.equal((await bench.record()).status, 'COMPLETED');
    await expectCount(bench, name, 1);
  });

  test('commits after a renewal', async (bench) => {
    const claim = await bench.claim();
    await bench.store.renew(claim, claim.inProgressUntilMs + SECOND_MS);
    const name = freshId();
    await send(bench, commitOf(bench, name, claim));

    await expectCount(bench, name, 1);
  });

  for (const first of [true, false]) {
    const place = first ? 'first' : 'last';
    test(`applies nothing when the ${place} write is refused`, async (bench) => {
      const claim = await bench.claim();
      const name = freshId();
      const good = commitOf(bench, name, claim);
      const bad = effects.refusedWrite(bench.store, freshId());
      const writes = first ? [bad, ...good.writes] : [...good.writes, bad];

      await bench.expectUnchanged(() => expectCancelled(send(bench, { ...good, writes })));
      await expectCount(bench, name, 0);
      await bench.store.release(claim);
      assert.equal(await bench.store.get(bench.id), undefined);
    });
  }

  test('applies nothing of refused writes without a claim', async (bench) => {
    const name = freshId();
    const good = commitOf(bench, name);
    const writes = [...good.writes, effects.refusedWrite(bench.store, freshId())];

    await expectCancelled(send(bench, { ...good, writes }));
    await expectCount(bench, name, 0);
  });

  test('reports a lost claim rather than a write that was refused with it', async (bench) => {
    const claim = await bench.claim();
    await bench.store.forget(bench.id, { force: true });
    const commit = commitOf(bench, freshId(), claim);
    const writes = [effects.refusedWrite(bench.store, freshId())];

    await expectLost(send(bench, { ...commit, writes }));
  });
}

/** Expects a rejection with `IdempotencyCommitError` that says that nothing was applied. */
async function expectCancelled(promise: Promise<unknown>): Promise<void> {
  await assert.rejects(
    promise,
    (error) => {
      if (!isIdempotencyCommitError(error)) throw error;
      assert.equal(error.outcome, 'cancelled');
      return true;
    },
    'Expected an IdempotencyCommitError',
  );
}
