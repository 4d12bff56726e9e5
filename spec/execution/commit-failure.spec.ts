import { expect } from 'chai';
import { IdempotencyCommitError } from '../../lib/errors/index.js';
import { commitWith } from '../../lib/execution/index.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { dropped, replyLost } from '../support/intercepted-store.js';
import { accessDenied, CommitBench, conflict, put } from './commit-bench.js';

describe('commitWith', () => {
  let bench: CommitBench;

  beforeEach(() => {
    bench = new CommitBench();
  });

  afterEach(() => {
    bench.dispose();
  });

  describe('when the commit fails', () => {
    it('sends the same commit again after a conflict', async () => {
      bench.store.next('commit', dropped(conflict()), dropped(conflict()));

      expect(await bench.settled(bench.place())).to.include({ status: 'executed' });
      expect(bench.commits).to.have.length(3);
      expect(new Set(bench.commits).size).to.equal(1);
      expect(bench.applied).to.deep.equal(['orders']);
    });

    it('is done when it was applied and only its reply was lost', async () => {
      bench.store.next('commit', replyLost());

      expect(await bench.settled(bench.place())).to.include({ status: 'executed', result: 1 });
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

      expect(await bench.settled(bench.place())).to.include({ status: 'executed', result: 1 });
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
      const error = await expectRejection(bench.settled(bench.place()), IdempotencyCommitError);

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
      const error = await expectRejection(bench.settled(bench.place()), IdempotencyCommitError);

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
      await expectRejection(bench.settled(bench.place()), IdempotencyCommitError);
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
          await bench.settled(bench.place('orders', options, defaults));

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
          const call = bench.settled(bench.place('orders', options, defaults));

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
        const call = bench.settled(bench.place('orders', { onStoreUnavailable: 'run' }));

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
});
