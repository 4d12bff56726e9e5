import { expect } from 'chai';
import { processState, type ProcessState } from '../../lib/configuration/process-state.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import '../../lib/execution/index.js';
import type { Outcome } from '../../lib/execution/outcome.js';
import { ExecutionTracker } from '../../lib/execution/tracking/tracker.js';
import { currentRun, watchRuns } from '../../lib/execution/own-run.js';
import { deferred } from '../support/deferred.js';
import { Harness } from '../execution/harness.js';

describe('code that a run left behind', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
    watchRuns();
  });

  afterEach(() => {
    harness.dispose();
  });

  it('may wait for a later run of the key: its own is over', async () => {
    const leftBehind = deferred();
    let late: Promise<Outcome<string>> | undefined;
    await harness
      .call(() => {
        late = leftBehind.promise.then(() => harness.call(() => 'late', { wait: 5 }));
        throw new Error('refused');
      })
      .catch(() => undefined);
    const gate = deferred<string>();
    const successor = harness.call(() => gate.promise);
    await harness.clock.advance(0);

    leftBehind.resolve();
    await harness.clock.advance(100);
    gate.resolve('done');
    await successor;

    expect(await late).to.include({ status: 'replayed', result: 'done' });
  });

  it('does not keep the runs before it, however long the chain', async () => {
    let depth = 0;
    const generation = async (left: number): Promise<void> => {
      const next = deferred();
      let rest: Promise<void> | undefined;
      await harness.call(
        () => {
          depth = 0;
          for (let run = currentRun(); run !== undefined; run = run.outer) depth += 1;
          if (left > 0) rest = next.promise.then(() => generation(left - 1));
        },
        { key: String(left) },
      );
      next.resolve();
      await rest;
    };

    await generation(20);

    expect(depth).to.equal(1);
  });
});

describe('a method that waits, called in the run of one with the same key', () => {
  let former: Partial<ProcessState>;

  beforeEach(() => {
    former = { ...processState };
    delete processState.runs;
  });

  afterEach(() => {
    Object.assign(processState, former);
  });

  it('gives up at once, also in the first call of a process', () => expectGivingUpAtOnce());

  it('does so where only the inner call waits, by a default', () => {
    processState.executions = new ExecutionTracker();
    return expectGivingUpAtOnce((inner) => withIdempotency({ wait: 600 }, inner), {});
  });

  it('does so where nothing has imported mayfly-idempotency/execution', () => {
    delete processState.executions;
    return expectGivingUpAtOnce();
  });

  async function expectGivingUpAtOnce(
    inside: (inner: () => Promise<string>) => Promise<string> = (inner) => inner(),
    waiting: { readonly wait?: number } = { wait: 600 },
  ): Promise<void> {
    const harness = new Harness();
    try {
      const options = { namespace: 'orders', key: 'o1' };
      const inner = makeIdempotent(() => Promise.resolve('inner'), { ...options, ...waiting });
      let error: unknown;
      const outer = makeIdempotent(async () => {
        await inside(inner).catch((thrown: unknown) => {
          error = thrown;
        });
        return 'outer';
      }, options);

      const { store, clock } = harness;
      const call = withIdempotency({ store, clock }, () => outer());
      await harness.clock.advance(0);

      expect(error).to.have.property('name', 'IdempotencyInProgressError');
      await harness.clock.advance(600_000);
      expect(await call).to.equal('outer');
    } finally {
      harness.dispose();
    }
  }
});
