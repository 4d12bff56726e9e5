import { expect } from 'chai';
import { IdempotencyCommitError, IdempotencyStoreError } from '../../lib/errors/index.js';
import { commitWith, currentExecution, type TransactWrite } from '../../lib/execution/index.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { dropped, heldUntil, replyLost } from '../support/intercepted-store.js';
import { CommitBench, put } from './commit-bench.js';

/** What a store says of a transaction that ran into another one. */
function conflict(): IdempotencyStoreError {
  return new IdempotencyStoreError('another write to the same items was going on', {
    operation: 'commit',
    retryable: true,
    maybeApplied: false,
  });
}

function accessDenied(): IdempotencyStoreError {
  return new IdempotencyStoreError('access is denied', {
    operation: 'commit',
    retryable: false,
    maybeApplied: false,
    hint: 'Allow dynamodb:PutItem',
  });
}

describe('commitWith', () => {
  let bench: CommitBench;

  beforeEach(() => {
    bench = new CommitBench();
  });

  afterEach(() => {
    bench.dispose();
  });

  /** Settles a call that pauses between its attempts. */
  async function settled<T>(call: Promise<T>): Promise<T> {
    void Promise.allSettled([call]);
    // No pause is longer than a second, and giving up takes ten.
    for (let second = 0; second < 20; second++) await bench.clock.advance(1000);
    return call;
  }

  describe('in a protected run', () => {
    it('applies the writes with the record, in one commit under the claim token', async () => {
      let token: string | undefined;
      const outcome = await bench.call(() => {
        token = currentExecution()?.claimToken;
        commitWith([put('orders')]);
        return 'placed';
      });

      expect(outcome).to.deep.equal({ status: 'executed', result: 'placed' });
      expect(bench.applied).to.deep.equal(['orders']);
      expect(bench.commits).to.have.length(1);
      expect(bench.commits[0]).to.deep.include({ token, writes: [put('orders')] });
      expect(bench.store.count('complete')).to.equal(0);
      expect(await bench.memory.get('o1')).to.include({ status: 'COMPLETED', result: '"placed"' });
      expect(bench.types).to.deep.equal(['claimed', 'completed']);
    });

    it('applies nothing before the method has returned', async () => {
      let before: readonly string[] = ['unset'];
      await bench.call(async () => {
        commitWith([put('orders')]);
        await Promise.resolve();
        before = [...bench.applied];
      });

      expect(before).to.deep.equal([]);
    });

    it('replays without another commit', async () => {
      await bench.place();

      expect(await bench.place()).to.include({ status: 'replayed', result: 1 });
      expect(bench.applied).to.deep.equal(['orders']);
    });

    it('adds up several calls, in order', async () => {
      await bench.call(() => {
        commitWith([put('orders'), put('stock')]);
        commitWith([]);
        commitWith([put('outbox')]);
      });

      expect(bench.applied).to.deep.equal(['orders', 'stock', 'outbox']);
      expect(bench.commits).to.have.length(1);
    });

    it('completes the record alone where no write came', async () => {
      await bench.call(() => {
        commitWith([]);
      });

      expect(bench.commits).to.deep.equal([]);
      expect(bench.store.count('complete')).to.equal(1);
    });

    it('sends what was given, whatever becomes of the object', async () => {
      await bench.call(() => {
        const write = { Put: { TableName: 'orders', Item: { n: { N: '1' } } } };
        commitWith([write]);
        write.Put.TableName = 'elsewhere';
        write.Put.Item.n.N = '2';
      });

      expect(bench.commits[0]?.writes).to.deep.equal([
        { Put: { TableName: 'orders', Item: { n: { N: '1' } } } },
      ]);
    });

    it('drops the writes of a method that throws', async () => {
      const declined = new Error('declined');
      const error = await expectRejection(
        bench.call(() => {
          commitWith([put('orders')]);
          throw declined;
        }),
      );

      expect(error).to.equal(declined);
      expect(bench.commits).to.deep.equal([]);
      await bench.place('retry');
      expect(bench.applied).to.deep.equal(['retry']);
    });

    it('drops the writes of an error that is recorded', async () => {
      await expectRejection(
        bench.call(
          () => {
            commitWith([put('orders')]);
            throw new Error('declined');
          },
          { recordErrorIf: () => true },
        ),
      );

      expect(bench.commits).to.deep.equal([]);
      expect((await bench.memory.get('o1'))?.status).to.equal('FAILED');
    });

    it('drops the writes of a result that is released', async () => {
      await bench.place('orders', { recordResultIf: () => false });

      expect(bench.commits).to.deep.equal([]);
      expect(bench.types).to.deep.equal(['claimed', 'released']);
      await bench.place('retry');
      expect(bench.applied).to.deep.equal(['retry']);
    });

    it('keeps the writes of nested runs apart', async () => {
      await bench.call(async () => {
        commitWith([put('outer')]);
        await bench.place('inner', { key: 'o2' });
        commitWith([put('outer-too')]);
      });

      expect(bench.applied).to.deep.equal(['inner', 'outer', 'outer-too']);
      expect(bench.commits).to.have.length(2);
    });

    it('keeps the writes of a nested run that throws from the outer one', async () => {
      await bench.call(async () => {
        commitWith([put('outer')]);
        await expectRejection(
          bench.call(
            () => {
              commitWith([put('inner')]);
              throw new Error('declined');
            },
            { key: 'o2' },
          ),
        );
      });

      expect(bench.applied).to.deep.equal(['outer']);
    });

    it('gives a call that waits the committed result', async () => {
      const gate = deferred();
      const owner = bench.call(async () => {
        commitWith([put('orders')]);
        await gate.promise;
        return { run: ++bench.runs };
      });
      await bench.clock.advance(0);
      const waiting = bench.call(() => ({ run: ++bench.runs }), { wait: 5 });
      await bench.clock.advance(0);
      gate.resolve();

      expect((await owner).status).to.equal('executed');
      expect(await waiting).to.deep.include({ status: 'replayed', result: { run: 1 } });
      expect(bench.store.seen.map(({ operation }) => operation)).to.deep.equal(['claim', 'commit']);
    });

    it('lets a call that waits run where the commit was cancelled', async () => {
      const gate = deferred();
      bench.refuse = (writes) => {
        if (JSON.stringify(writes).includes('"orders"')) throw new Error('no stock');
      };
      const owner = expectRejection(
        bench.call(async () => {
          commitWith([put('orders')]);
          await gate.promise;
        }),
      );
      await bench.clock.advance(0);
      const waiting = bench.place('backorders', { wait: 5 });
      await bench.clock.advance(0);
      gate.resolve();
      await owner;

      expect(await settled(waiting)).to.include({ status: 'executed' });
      expect(bench.applied).to.deep.equal(['backorders']);
    });
  });

  describe('when the commit fails', () => {
    it('sends the same commit again after a conflict', async () => {
      bench.store.next('commit', dropped(conflict()), dropped(conflict()));

      expect(await settled(bench.place())).to.include({ status: 'executed' });
      expect(bench.commits).to.have.length(3);
      expect(new Set(bench.commits).size).to.equal(1);
      expect(bench.applied).to.deep.equal(['orders']);
    });

    it('is done when it was applied and only its reply was lost', async () => {
      bench.store.next('commit', replyLost());

      expect(await settled(bench.place())).to.include({ status: 'executed', result: 1 });
      expect(bench.commits).to.have.length(2);
      expect(bench.applied).to.deep.equal(['orders']);
      expect(bench.types).to.deep.equal(['claimed', 'store-error', 'completed']);
    });

    it('finds a commit in the record whose replies were all lost', async () => {
      bench.store.next(
        'commit',
        replyLost(),
        ...Array<ReturnType<typeof dropped>>(30).fill(dropped()),
      );

      expect(await settled(bench.place())).to.include({ status: 'executed', result: 1 });
      expect(bench.applied).to.deep.equal(['orders']);
      expect(bench.types.at(-1)).to.equal('completed');
    });

    it('frees the key when a write is refused, and tells the reasons and the result', async () => {
      const cause = new Error('TransactionCanceledException');
      bench.refuse = () => {
        throw new IdempotencyCommitError('refused', {
          outcome: 'cancelled',
          reasons: ['ConditionalCheckFailed'],
          cause,
        });
      };
      const error = await expectRejection(bench.place(), IdempotencyCommitError);

      expect(error).to.include({
        code: 'ERR_IDEMPOTENCY_COMMIT',
        outcome: 'cancelled',
        method: 'runIdempotent',
        id: 'o1',
        result: 1,
        cause,
      });
      expect(error.reasons).to.deep.equal(['ConditionalCheckFailed']);
      expect(error.message).to.match(/none of the deferred writes was applied/);
      expect(bench.commits).to.have.length(1);
      expect(bench.types).to.deep.equal(['claimed', 'released']);
      bench.refuse = () => undefined;
      expect(await bench.place()).to.include({ status: 'executed', result: 2 });
      expect(bench.applied).to.deep.equal(['orders']);
    });

    it('frees the key when nothing can have been applied', async () => {
      bench.store.next('commit', dropped(accessDenied()));
      const error = await expectRejection(bench.place(), IdempotencyCommitError);

      expect(error).to.deep.include({ outcome: 'cancelled', reasons: [] });
      expect(error.message).to.include('access is denied');
      expect(error.cause).to.include({ hint: 'Allow dynamodb:PutItem' });
      expect(await bench.memory.get('o1')).to.equal(undefined);
    });

    it('never frees the key when the outcome is unknown', async () => {
      bench.store.next('commit', ...Array<ReturnType<typeof dropped>>(30).fill(dropped()));
      const error = await expectRejection(settled(bench.place()), IdempotencyCommitError);

      expect(error).to.include({ outcome: 'unknown', result: 1 });
      expect(bench.store.count('release')).to.equal(0);
      expect((await bench.memory.get('o1'))?.status).to.equal('INPROGRESS');
      expect(await bench.place()).to.include({ status: 'in-progress' });
      expect(bench.types).to.include('completion-failed');
    });

    it('frees no key whose commit cannot be judged because the record cannot be read', async () => {
      bench.store
        .next('commit', replyLost(), ...Array<ReturnType<typeof dropped>>(30).fill(dropped()))
        .next('get', dropped());
      const error = await expectRejection(settled(bench.place()), IdempotencyCommitError);

      expect(error.outcome).to.equal('unknown');
      expect(bench.store.count('release')).to.equal(0);
      expect(await bench.place()).to.include({ status: 'replayed', result: 1 });
    });

    it('runs again once an unknown commit has lapsed, and fences a late one off', async () => {
      const gate = deferred();
      // Every attempt is still under way when its caller gives up.
      const late: Promise<unknown>[] = [];
      bench.store.next(
        'commit',
        ...Array<ReturnType<typeof dropped>>(30).fill((forward) => {
          late.push(gate.promise.then(forward).catch((error: unknown) => error));
          return Promise.reject(new Error('no answer'));
        }),
      );
      await expectRejection(settled(bench.place()), IdempotencyCommitError);
      await bench.clock.advance(60_001);
      const retried = bench.call(
        async () => {
          gate.resolve();
          await Promise.all(late);
          return 'second';
        },
        { renewFor: 0 },
      );

      expect(await retried).to.include({ status: 'executed', result: 'second' });
      expect(bench.applied).to.deep.equal([]);
      expect(late.length).to.be.above(1);
    });

    it('is heard whatever onCompletionFailure says', async () => {
      for (const onCompletionFailure of ['return', 'throw'] as const) {
        bench.store.next('commit', dropped(accessDenied()));
        const call = bench.place('orders', { onCompletionFailure });

        expect(await expectRejection(call)).to.include({ code: 'ERR_IDEMPOTENCY_COMMIT' });
      }
    });

    it('passes for no error worth recording', async () => {
      bench.store.next('commit', dropped(accessDenied()));
      await expectRejection(bench.place('orders', { recordErrorIf: () => true }));

      expect(bench.store.count('complete')).to.equal(0);
    });
  });

  describe('of a late owner', () => {
    /** Starts a call that outlives its claim; `end` lets it finish. */
    async function lateOwner(options: { renewFor?: number; lease?: number }) {
      const gate = deferred();
      const call = bench.call(async () => {
        commitWith([put('late')]);
        await gate.promise;
        return 'late';
      }, options);
      await bench.clock.advance(0);
      return {
        end: () => {
          gate.resolve();
          return expectRejection(call, IdempotencyCommitError);
        },
      };
    }

    it('applies nothing and leaves its successor untouched', async () => {
      const { end } = await lateOwner({ renewFor: 0, lease: 5 });
      await bench.clock.advance(5001);
      expect(await bench.place('successor')).to.include({ status: 'executed' });
      const before = await bench.memory.get('o1');
      const error = await end();

      expect(error).to.include({ outcome: 'cancelled', result: 'late' });
      expect(error.cause).to.include({ code: 'ERR_IDEMPOTENCY_CLAIM_LOST', result: 'late' });
      expect(await bench.memory.get('o1')).to.deep.equal(before);
      expect(bench.applied).to.deep.equal(['successor']);
      expect(bench.store.count('release')).to.equal(0);
      expect(bench.types.at(-1)).to.equal('claim-lost');
    });

    it('sends no commit when a renewal has found the claim lost', async () => {
      const { end } = await lateOwner({ lease: 3 });
      await bench.memory.forget('o1', { force: true });
      await bench.clock.advance(1000);
      const error = await end();

      expect(error.outcome).to.equal('cancelled');
      expect(bench.commits).to.deep.equal([]);
    });

    it('applies its writes while nobody has taken over', async () => {
      const gate = deferred();
      const call = bench.call(
        async () => {
          commitWith([put('late')]);
          await gate.promise;
        },
        { renewFor: 0, lease: 5 },
      );
      await bench.clock.advance(20_000);
      gate.resolve();

      expect((await call).status).to.equal('executed');
      expect(bench.applied).to.deep.equal(['late']);
    });
  });

  describe('in a run without protection', () => {
    const unprotected = {
      'because the store is unavailable': () => {
        bench.store.next('claim', dropped(conflict()));
        return [{ onStoreUnavailable: 'run' }, {}] as const;
      },
      'because the key is missing': () =>
        [{ key: () => undefined as never, onMissingKey: 'run' }, {}] as const,
      'because protection is off': () => [{}, { enabled: false }] as const,
    };
    for (const [why, scene] of Object.entries(unprotected)) {
      describe(why, () => {
        it('sends the writes alone', async () => {
          const [options, defaults] = scene();
          await bench.place('orders', options, defaults);

          expect(bench.applied).to.deep.equal(['orders']);
          expect(bench.commits).to.have.length(1);
          expect(bench.commits[0]).to.not.have.property('outcome');
          expect(bench.memory.size).to.equal(0);
        });

        it('sends them once when the reply is lost', async () => {
          const [options, defaults] = scene();
          bench.store.next('commit', replyLost());
          await settled(bench.place('orders', options, defaults));

          expect(bench.applied).to.deep.equal(['orders']);
          expect(bench.commits).to.have.length(2);
        });

        it('drops them when the method throws or its result asks for a retry', async () => {
          const [options, defaults] = scene();
          await bench.place('orders', { ...options, recordResultIf: () => false }, defaults);
          scene();
          const thrown = bench.call(
            () => {
              commitWith([put('orders')]);
              throw new Error('declined');
            },
            options,
            defaults,
          );
          await expectRejection(thrown);

          expect(bench.commits).to.deep.equal([]);
        });

        it('rejects when they are refused', async () => {
          const [options, defaults] = scene();
          bench.refuse = () => {
            throw new Error('no stock');
          };
          const call = bench.place('orders', options, defaults);

          expect(await expectRejection(call, IdempotencyCommitError)).to.deep.include({
            outcome: 'cancelled',
            reasons: ['Error'],
          });
        });

        // An earlier attempt may still arrive, and no record fences it off.
        it('calls a refusal after an attempt without an answer unknown', async () => {
          const [options, defaults] = scene();
          bench.store.next('commit', dropped());
          bench.refuse = () => {
            throw new Error('no stock');
          };
          const call = settled(bench.place('orders', options, defaults));

          expect((await expectRejection(call, IdempotencyCommitError)).outcome).to.equal('unknown');
        });
      });
    }

    // The claim's reply was lost: it may stand, and it must not be freed under writes in doubt.
    for (const [outcome, answers, releases] of [
      ['unknown', Array<ReturnType<typeof dropped>>(30).fill(dropped()), 0],
      ['cancelled', [dropped(accessDenied())], 1],
    ] as const) {
      it(`frees a claim in doubt ${String(releases)} times when the commit is ${outcome}`, async () => {
        bench.store.next('claim', replyLost()).next('commit', ...answers);
        const call = settled(bench.place('orders', { onStoreUnavailable: 'run' }));

        expect((await expectRejection(call, IdempotencyCommitError)).outcome).to.equal(outcome);
        expect(bench.store.count('release')).to.equal(releases);
      });
    }

    it('looks no store up where no writes came', async () => {
      let opened = 0;
      const store = () => {
        opened += 1;
        return bench.store;
      };
      await bench.call(() => undefined, {}, { enabled: false, store });
      expect(opened).to.equal(0);
      await bench.place('orders', {}, { enabled: false, store });
      expect(opened).to.equal(1);
    });
  });

  describe('wrongly used', () => {
    async function thrownBy(writes: unknown, options = {}, defaults = {}): Promise<Error> {
      const call = bench.call(
        () => {
          commitWith(writes as readonly TransactWrite[]);
        },
        options,
        defaults,
      );
      return expectRejection(call);
    }

    it('throws outside of a run', () => {
      expect(() => {
        commitWith([put('orders')]);
      }).to.throw(TypeError, 'commitWith was called outside of an idempotent method');
    });

    const endings: Record<string, () => number> = {
      returned: () => 1,
      thrown: () => {
        throw new Error('declined');
      },
    };
    for (const [how, body] of Object.entries(endings)) {
      it(`throws after the run has ${how}`, async () => {
        const gate = deferred();
        let later: Promise<void> | undefined;
        await bench
          .call(() => {
            later = gate.promise.then(() => {
              commitWith([put('orders')]);
            });
            return body();
          })
          .catch(() => undefined);
        gate.resolve();

        const error = await expectRejection(later ?? Promise.resolve(), TypeError);
        expect(error.message).to.equal(
          'commitWith was called after the run was over (runIdempotent)',
        );
        expect(bench.applied).to.deep.equal([]);
      });
    }

    for (const defaults of [{}, { enabled: false }]) {
      it(`throws where the store has no transactions (${JSON.stringify(defaults)})`, async () => {
        const store = new MemoryStore();
        const error = await thrownBy([put('orders')], {}, { ...defaults, store });

        expect(error).to.be.instanceOf(TypeError);
        expect(error.message).to.equal(
          'The store of runIdempotent knows no transactions, which commitWith needs; DynamoDBStore and MemoryStore({ transact }) do',
        );
        expect(store.size).to.equal(0);
      });
    }

    it('takes 99 writes and no more, in one call or several', async () => {
      const writes = (count: number) => Array.from({ length: count }, () => put('orders'));
      const error = await thrownBy(writes(100));
      expect(error).to.be.instanceOf(RangeError);
      expect(error.message).to.equal(
        'Expected at most 99 deferred writes, got 100 (commitWith in runIdempotent)',
      );
      let second: unknown;
      await bench.call(() => {
        commitWith(writes(98));
        try {
          commitWith(writes(2));
        } catch (refused) {
          second = refused;
        }
        commitWith(writes(1));
      });

      expect(second).to.be.instanceOf(RangeError);
      expect(bench.applied).to.have.length(99);
    });

    for (const [what, writes] of Object.entries({
      'no array': put('orders'),
      'no object': ['Put'],
      'an item without an action': [{}],
      'an item with two actions': [{ ...put('orders'), Delete: {} }],
      'a function in it': [{ Put: { Item: () => 1 } }],
    })) {
      it(`refuses ${what}`, async () => {
        const error = await thrownBy(writes);

        expect(error).to.be.instanceOf(TypeError);
        expect(error.message).to.match(/^Expected .* \(commitWith in runIdempotent\)$/);
        expect(bench.commits).to.deep.equal([]);
      });
    }
  });

  it('holds a commit that is under way against nobody', async () => {
    const gate = deferred();
    bench.store.next('commit', heldUntil(gate.promise));
    const first = bench.place();
    await bench.clock.advance(0);
    expect(await bench.place()).to.include({ status: 'in-progress' });
    gate.resolve();

    expect(await first).to.include({ status: 'executed', result: 1 });
    expect(await bench.place()).to.include({ status: 'replayed', result: 1 });
  });
});
