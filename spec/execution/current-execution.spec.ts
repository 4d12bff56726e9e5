import { expect } from 'chai';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { currentExecution, type CurrentExecution } from '../../lib/execution/index.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { dropped } from '../support/intercepted-store.js';
import { Harness } from './harness.js';

/** The execution that the method sees. */
async function seenBy(
  harness: Harness,
  options: Parameters<Harness['call']>[1] = {},
): Promise<CurrentExecution> {
  let execution: CurrentExecution | undefined;
  await harness.call(() => {
    execution = currentExecution();
  }, options as object);
  if (execution === undefined) throw new Error('The method saw no execution');
  return execution;
}

describe('currentExecution', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  it('is absent outside of a run, before and after', async () => {
    expect(currentExecution()).to.equal(undefined);
    await harness.call(() => undefined);
    expect(currentExecution()).to.equal(undefined);
  });

  it('tells id, key and the token that the record carries', async () => {
    let token: string | undefined;
    let execution: CurrentExecution | undefined;
    await harness.call(
      async () => {
        execution = currentExecution();
        token = (await harness.memory.get('orders#o1'))?.claimToken;
      },
      { namespace: 'orders' },
    );

    expect(execution).to.include({ id: 'orders#o1', key: 'o1', takeover: false });
    expect(execution?.claimToken).to.equal(token);
  });

  it('is that of the innermost run', async () => {
    const ids: (string | undefined)[] = [];
    await harness.call(async () => {
      ids.push(currentExecution()?.id);
      await harness.call(() => ids.push(currentExecution()?.id), { key: 'o2' });
      ids.push(currentExecution()?.id);
    });

    expect(ids).to.deep.equal(['o1', 'o2', 'o1']);
  });

  // F21
  it('is its own in calls that overlap', async () => {
    const gate = deferred();
    const seen: (string | undefined)[] = [];
    const calls = ['a', 'b'].map((key) =>
      harness.call(
        async () => {
          await gate.promise;
          seen.push(currentExecution()?.key);
        },
        { key },
      ),
    );
    await harness.clock.advance(0);
    gate.resolve();
    await Promise.all(calls);

    expect(seen.sort()).to.deep.equal(['a', 'b']);
  });

  it('says when it took over an abandoned run', async () => {
    void harness.call(() => deferred().promise, { renewFor: 0 });
    await harness.clock.advance(60_001);

    expect((await seenBy(harness)).takeover).to.equal(true);
  });

  // What happened to the first attempt is not known then.
  it('counts a claim whose reply was lost as a takeover', async () => {
    harness.store.next('claim', async (forward) => {
      await forward();
      return forward();
    });

    expect((await seenBy(harness)).takeover).to.equal(true);
  });

  it('counts a run that fails open as a takeover, with its keys for downstream', async () => {
    harness.store.next('claim', dropped());
    const open = await seenBy(harness, { onStoreUnavailable: 'run' });
    const usual = await seenBy(harness, { key: 'o1', recordResultIf: () => false });

    expect(open.takeover).to.equal(true);
    expect(open.downstreamKey('charge')).to.equal(usual.downstreamKey('charge'));
  });

  it('is absent where protection is off', async () => {
    let execution: CurrentExecution | undefined;
    await withIdempotency({ enabled: false }, () =>
      harness.call(() => {
        execution = currentExecution();
      }),
    );
    expect(execution).to.equal(undefined);
  });

  describe('deadline', () => {
    it('is the end of the claim and moves with each renewal', async () => {
      const gate = deferred();
      let execution: CurrentExecution | undefined;
      const startMs = harness.clock.now();
      const call = harness.call(
        () => {
          execution = currentExecution();
          return gate.promise;
        },
        { lease: 3 },
      );
      await harness.clock.advance(0);
      expect(execution?.deadline.getTime()).to.equal(startMs + 3000);

      await harness.clock.advance(2000);
      expect(execution?.deadline.getTime()).to.equal(startMs + 5000);
      gate.resolve();
      await call;
    });
  });

  describe('signal', () => {
    async function runningSignal(
      options: Parameters<Harness['call']>[1],
    ): Promise<{ signal: AbortSignal; end: () => Promise<unknown> }> {
      const gate = deferred();
      let signal: AbortSignal | undefined;
      const call = harness.call(() => {
        signal = currentExecution()?.signal;
        return gate.promise;
      }, options as object);
      await harness.clock.advance(0);
      if (signal === undefined) throw new Error('No signal');
      return {
        signal,
        end: () => {
          gate.resolve();
          return call.catch((error: unknown) => error);
        },
      };
    }

    it('aborts when the claim ends', async () => {
      const { signal, end } = await runningSignal({ renewFor: 0, lease: 5 });
      await harness.clock.advance(4999);
      expect(signal.aborted).to.equal(false);

      await harness.clock.advance(1);
      expect(signal.aborted).to.equal(true);
      expect((signal.reason as Error).name).to.equal('TimeoutError');
      await end();
    });

    it('does not abort while the claim is renewed', async () => {
      const { signal, end } = await runningSignal({ lease: 3 });
      await harness.clock.advance(60_000);

      expect(signal.aborted).to.equal(false);
      await end();
    });

    it('aborts when the claim is found lost', async () => {
      const { signal, end } = await runningSignal({ lease: 3 });
      await harness.memory.forget('o1', { force: true });
      await harness.clock.advance(1000);

      expect(signal.aborted).to.equal(true);
      expect(signal.reason).to.include({ code: 'ERR_IDEMPOTENCY_CLAIM_LOST' });
      await end();
    });

    it('does not abort after the method is over, and leaves no timer', async () => {
      const { signal, end } = await runningSignal({ renewFor: 0, lease: 5 });
      await end();
      await harness.clock.advance(10_000);

      expect(signal.aborted).to.equal(false);
      expect(harness.clock.pendingTimers).to.equal(0);
    });
  });

  describe('downstreamKey', () => {
    it('is the same for every attempt and differs by label and by record', async () => {
      const keys: string[] = [];
      const attempt = (): never => {
        keys.push(currentExecution()?.downstreamKey('charge') ?? '');
        throw new Error('declined');
      };
      await expectRejection(harness.call(attempt));
      await expectRejection(harness.call(attempt));
      const refund = (await seenBy(harness)).downstreamKey('refund');
      const other = (await seenBy(harness, { key: 'o2' })).downstreamKey('charge');

      expect(keys[0]).to.match(/^[0-9a-f]{64}$/);
      expect(keys[1]).to.equal(keys[0]);
      expect(new Set([keys[0], refund, other]).size).to.equal(3);
    });

    it('does not confuse where a label ends', async () => {
      const first = (await seenBy(harness, { key: 'a' })).downstreamKey('b","c');
      const second = (await seenBy(harness, { key: 'a","b' })).downstreamKey('c');

      expect(first).to.not.equal(second);
    });

    for (const label of ['', '  ', undefined, 7]) {
      it(`refuses ${String(label) || 'nothing'} as a label`, async () => {
        const execution = await seenBy(harness);
        expect(() => execution.downstreamKey(label as string)).to.throw(TypeError, 'label');
      });
    }
  });
});
