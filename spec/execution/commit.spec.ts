import { expect } from 'chai';
import { commitWith, currentExecution, type TransactWrite } from '../../lib/execution/index.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { heldUntil } from '../support/intercepted-store.js';
import { CommitBench, put } from './commit-bench.js';

describe('commitWith', () => {
  let bench: CommitBench;

  beforeEach(() => {
    bench = new CommitBench();
  });

  afterEach(() => {
    bench.dispose();
  });

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

      expect(await bench.settled(waiting)).to.include({ status: 'executed' });
      expect(bench.applied).to.deep.equal(['backorders']);
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
