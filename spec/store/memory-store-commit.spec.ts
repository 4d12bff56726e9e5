import { expect } from 'chai';
import { IdempotencyCommitError, IdempotencyStoreError } from '../../lib/errors/index.js';
import type { Claim, Commit, TransactWrite } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { describeStoreContract } from '../../lib/testing/store-contract.js';
import type { EffectsHarness } from '../../lib/testing/store-harness.js';
import { record } from '../contract/recording-runner.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

/** Effects by name; a write without one is refused. */
const effects = new Map<string, number>();

function addAll(writes: readonly TransactWrite[]): void {
  const names = writes.map(({ Update }) => (Update as { name?: string } | undefined)?.name);
  for (const name of names) if (name === undefined) throw new RangeError('No effect is named');
  for (const name of names as string[]) effects.set(name, (effects.get(name) ?? 0) + 1);
}

const commitEffects: EffectsHarness<MemoryStore> = {
  write: (_store, name) => ({ Update: { name } }),
  refusedWrite: () => ({ ConditionCheck: {} }),
  count: (_store, name) => effects.get(name) ?? 0,
};

for (const [how, transact] of Object.entries({
  'at once': addAll,
  'in its own time': async (writes: readonly TransactWrite[]) => {
    await Promise.resolve();
    addAll(writes);
  },
})) {
  describeStoreContract(`MemoryStore that transacts ${how}`, {
    create: () => ({ store: new MemoryStore({ transact }) }),
    seed: (store, record) => {
      store.seed(record);
    },
    effects: commitEffects,
  });
}

/** Applies the writes without looking whose the claim is. */
class UnfencedCommitStore extends MemoryStore {
  override commit = async ({ outcome, writes }: Commit): Promise<void> => {
    addAll(writes);
    if (outcome !== undefined) await this.complete(outcome.claim, outcome.completion);
  };
}

describe('describeStoreContract', () => {
  it('fails a store whose commit looks at no owner and counts no repetition', async () => {
    const { failed } = await record((runner) => {
      describeStoreContract('UnfencedCommitStore', {
        create: () => ({ store: new UnfencedCommitStore() }),
        effects: commitEffects,
        runner,
      });
    });

    expect(failed).to.deep.equal([
      'commit › applies nothing twice when it is repeated',
      'commit › applies the writes alone where there is no claim, and nothing twice',
      'commit › applies nothing under another token',
      'commit › applies nothing once another claim took over',
      'commit › applies nothing once the claim is released',
      'commit › applies nothing when the first write is refused',
      'commit › applies nothing when the last write is refused',
      'commit › applies nothing of refused writes without a claim',
      'commit › reports a lost claim rather than a write that was refused with it',
    ]);
  });

  it('leaves the tests of commit out without a way to make writes', async () => {
    const { passed } = await record((runner) => {
      describeStoreContract('MemoryStore', {
        create: () => ({ store: new MemoryStore() }),
        runner,
      });
    });

    expect(passed.filter((title) => title.startsWith('commit'))).to.deep.equal([]);
  });

  it('fails a store without commit where it has a way to make writes', async () => {
    const { failed } = await record((runner) => {
      describeStoreContract('MemoryStore', {
        create: () => ({ store: new MemoryStore() }),
        effects: commitEffects,
        runner,
      });
    });

    expect(failed).to.include('commit › completes the claim and applies the writes');
  });
});

describe('MemoryStore', () => {
  const START_MS = Date.UTC(2030, 0, 1);
  const WRITES = [{ Put: { TableName: 'orders' } }];
  const clock = manualClock(START_MS);
  const calls: (readonly TransactWrite[])[] = [];
  let transact: (writes: readonly TransactWrite[]) => void | Promise<void>;
  let store: MemoryStore;

  beforeEach(() => {
    calls.length = 0;
    transact = (writes) => void calls.push(writes);
    store = new MemoryStore({ clock, transact: (writes) => transact(writes) });
  });

  async function claim(token: string, nowMs = START_MS): Promise<Claim | undefined> {
    const outcome = await store.claim({
      id: 'o1',
      token,
      nowMs,
      ttlMs: 60_000,
      inProgressUntilMs: nowMs + 1000,
      onExpiredClaim: 'run',
    });
    return outcome.claimed ? outcome.claim : undefined;
  }

  async function commitOf(token: string): Promise<Commit> {
    const made = await claim(token);
    if (made === undefined) throw new Error('The claim was refused');
    const completion = {
      status: 'COMPLETED',
      nowMs: START_MS,
      ttlMs: 60_000,
      result: '1',
    } as const;
    return { token, outcome: { claim: made, completion }, writes: WRITES };
  }

  describe('commit', () => {
    it('is there only with `transact`', () => {
      expect(new MemoryStore().commit).to.equal(undefined);
      expect(store.commit).to.be.a('function');
    });

    it('refuses a `transact` that is no function', () => {
      expect(() => new MemoryStore({ transact: {} as never })).to.throw(
        TypeError,
        'Expected `transact` to be a function of the deferred writes, got an object (MemoryStore)',
      );
    });

    it('hands the writes over once per token, also while the first time is going on', async () => {
      const gate = deferred();
      transact = async (writes) => {
        calls.push(writes);
        await gate.promise;
      };
      const commit = await commitOf('first');
      const first = store.commit?.(commit);
      const second = store.commit?.({ ...commit });
      gate.resolve();
      await first;
      await second;
      await store.commit?.(commit);

      expect(calls).to.deep.equal([WRITES]);
    });

    it('knows a token for ten minutes, as DynamoDB does', async () => {
      const alone = { token: 'alone', writes: WRITES };
      await store.commit?.(alone);
      await clock.advance(10 * 60_000);
      await store.commit?.(alone);
      expect(calls).to.have.length(1);
      await clock.advance(1);
      await store.commit?.(alone);
      expect(calls).to.have.length(2);
    });

    it('gives the key to nobody while `transact` is going on', async () => {
      const gate = deferred();
      transact = () => gate.promise;
      const committing = store.commit?.(await commitOf('first'));
      expect(await claim('second', START_MS + 5000)).to.equal(undefined);
      expect(await store.forget('o1', { nowMs: START_MS + 5000 })).to.equal(false);
      gate.resolve();
      await committing;

      expect(await store.get('o1')).to.include({ status: 'COMPLETED', claimToken: 'first' });
    });

    it('leaves the claim as it was when `transact` throws, and takes the commit again', async () => {
      const commit = await commitOf('first');
      const before = await store.get('o1');
      const cause = new RangeError('no stock');
      transact = () => {
        throw cause;
      };
      const error = await expectRejection(
        store.commit?.(commit) ?? Promise.resolve(),
        IdempotencyCommitError,
      );

      expect(error).to.deep.include({ outcome: 'cancelled', reasons: ['RangeError'], cause });
      expect(await store.get('o1')).to.deep.equal(before);
      transact = () => undefined;
      await store.commit?.(commit);
      expect((await store.get('o1'))?.status).to.equal('COMPLETED');
    });

    it('frees a claim that lapsed while `transact` was failing', async () => {
      transact = () => Promise.reject(new Error('no stock'));
      await expectRejection(store.commit?.(await commitOf('first')) ?? Promise.resolve());

      expect(await claim('second', START_MS + 5000)).to.include({ token: 'second' });
    });

    it('passes an error of this package on', async () => {
      const conflict = new IdempotencyStoreError('conflict', {
        operation: 'commit',
        retryable: true,
      });
      transact = () => Promise.reject(conflict);
      const error = await expectRejection(store.commit?.(await commitOf('a')) ?? Promise.resolve());

      expect(error).to.equal(conflict);
    });
  });
});
