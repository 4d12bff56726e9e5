import { expect } from 'chai';
import { processState } from '../../lib/configuration/process-state.js';
import { IdempotencyPayloadMismatchError, IdempotencyStoreError } from '../../lib/errors/index.js';
import type { Outcome } from '../../lib/execution/outcome.js';
import { watchRuns } from '../../lib/execution/own-run.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { dropped } from '../support/intercepted-store.js';
import { Harness } from './harness.js';

/** A claim of somebody in another process: made in the store behind the engine's back. */
async function claimElsewhere(harness: Harness, leaseMs = 60_000): Promise<string> {
  const nowMs = harness.clock.now();
  const token = 'elsewhere';
  await harness.memory.claim({
    id: 'o1',
    token,
    nowMs,
    ttlMs: 3_600_000,
    inProgressUntilMs: nowMs + leaseMs,
    onExpiredClaim: 'run',
  });
  return token;
}

async function completeElsewhere(harness: Harness, token: string, result: string): Promise<void> {
  await harness.memory.complete(
    { id: 'o1', token, inProgressUntilMs: 0, tookOver: false },
    {
      status: 'COMPLETED',
      nowMs: harness.clock.now(),
      ttlMs: 3_600_000,
      result: JSON.stringify(result),
    },
  );
}

describe('wait', () => {
  let harness: Harness;
  let runs: number;
  const body = (): string => {
    runs += 1;
    return `receipt ${String(runs)}`;
  };

  beforeEach(() => {
    harness = new Harness();
    runs = 0;
  });

  afterEach(() => {
    harness.dispose();
  });

  describe('for a call of the same process', () => {
    // As a method with `wait` does when its class is defined.
    beforeEach(watchRuns);

    it('polls where that began before the process had any waiting method', async () => {
      delete processState.runs;
      const gate = deferred<string>();
      const first = harness.call(() => gate.promise);
      await harness.clock.advance(0);

      const second = harness.call(body, { wait: 5 });
      await harness.clock.advance(300);
      expect(harness.store.count('get')).to.be.greaterThan(0);
      gate.resolve('only run');
      await first;
      await harness.clock.advance(1000);

      expect(await second).to.deep.include({ status: 'replayed', result: 'only run' });
      expect(runs).to.equal(0);
    });

    // F89
    it('resolves to its result, counts as a replay, and costs no request', async () => {
      const gate = deferred<{ receipt: string }>();
      const first = harness.call(() => gate.promise);
      await harness.clock.advance(0);
      const requests = harness.store.seen.length;

      const second = harness.call(() => ({ receipt: 'second run' }), { wait: 5 });
      await harness.clock.advance(300);
      gate.resolve({ receipt: 'only run' });

      expect(await second).to.deep.include({ status: 'replayed', result: { receipt: 'only run' } });
      // One refused claim, since nothing tells a waiting call in advance; then the owner's record.
      expect(harness.store.seen.length - requests).to.be.at.most(2);
      expect(await first).to.deep.include({ status: 'executed' });
      expect(harness.types()).to.include('replayed');
    });

    it('gives each caller a copy of its own', async () => {
      const gate = deferred<{ lines: number[] }>();
      const calls = [1, 2, 3].map(() => harness.call(() => gate.promise, { wait: 5 }));
      await harness.clock.advance(0);
      gate.resolve({ lines: [1] });

      const [owner, ...joiners] = await Promise.all(calls);
      const results = [owner, ...joiners].map((each) => (each as { result?: object }).result);

      expect(new Set(results).size).to.equal(3);
      expect(results).to.deep.equal([{ lines: [1] }, { lines: [1] }, { lines: [1] }]);
    });

    it('needs two requests for two hundred callers', async () => {
      const gate = deferred<string>();
      const calls = Array.from({ length: 200 }, () =>
        harness.call(
          () => {
            runs += 1;
            return gate.promise;
          },
          { wait: 5 },
        ),
      );
      await harness.clock.advance(500);
      gate.resolve('only run');
      const outcomes = await Promise.all(calls);

      expect(runs).to.equal(1);
      expect(outcomes.filter(({ status }) => status === 'replayed')).to.have.lengthOf(199);
      expect(harness.store.seen).to.have.lengthOf(2);
      expect(harness.clock.pendingTimers).to.equal(0);
    });

    // F89
    it('lets one waiting call run when the first one throws', async () => {
      const gate = deferred<string>();
      const first = harness.call(() => gate.promise, { wait: 5 });
      await harness.clock.advance(0);
      const others = [1, 2, 3].map(() => harness.call(body, { wait: 5 }));
      await harness.clock.advance(0);

      const declined = new Error('declined');
      gate.reject(declined);

      expect(await expectRejection(first)).to.equal(declined);
      const outcomes = await Promise.all(others);
      expect(runs).to.equal(1);
      expect(outcomes.map(({ status }) => status).sort()).to.deep.equal([
        'executed',
        'replayed',
        'replayed',
      ]);
    });

    it('goes to the store when the first call loses its claim', async () => {
      const gate = deferred<string>();
      const first = harness.call(() => gate.promise, { wait: 5, renewFor: 0 });
      await harness.clock.advance(0);
      const second = harness.call(body, { wait: 30 });
      await harness.clock.advance(0);
      await harness.memory.forget('o1', { force: true });
      const token = await claimElsewhere(harness);
      await completeElsewhere(harness, token, 'theirs');

      gate.resolve('late');

      expect(await expectRejection(first)).to.include({ code: 'ERR_IDEMPOTENCY_CLAIM_LOST' });
      expect(await second).to.deep.include({ status: 'replayed', result: 'theirs' });
      expect(runs).to.equal(0);
    });

    it('goes to the store when the first call could not record', async () => {
      const denied = new IdempotencyStoreError('denied', {
        operation: 'complete',
        retryable: false,
      });
      harness.store.next('complete', dropped(denied));
      const gate = deferred<string>();
      const first = harness.call(() => gate.promise, { wait: 1 });
      await harness.clock.advance(0);
      const second = harness.call(body, { wait: 5 });
      await harness.clock.advance(0);
      gate.resolve('not recorded');

      expect((await first).status).to.equal('executed');
      await harness.clock.advance(5000);
      expect((await second).status).to.equal('in-progress');
      expect(runs).to.equal(0);
    });

    it("goes to the store when the record has expired by the time of the store's reply", async () => {
      const reply = deferred();
      harness.store.next('complete', async (forward) => {
        await forward();
        return reply.promise;
      });
      const first = harness.call(() => 'first', {}, { ttl: 1 });
      await harness.clock.advance(0);
      const joined = harness.call(() => 'second', { wait: 30 });
      await harness.clock.advance(5000);
      reply.resolve();

      expect(await first).to.include({ status: 'executed', result: 'first' });
      expect(await joined).to.include({ status: 'executed', result: 'second' });
    });

    it('gives up as in progress when its patience ends, with one read for all', async () => {
      const first = harness.call(() => deferred().promise, { wait: 1 });
      await harness.clock.advance(0);
      const others = Array.from({ length: 50 }, () => harness.call(body, { wait: 2 }));
      await harness.clock.advance(2000);

      for (const outcome of (await Promise.all(others)) as Outcome<unknown>[]) {
        expect(outcome).to.deep.include({ status: 'in-progress', retryAfterMs: 58_000 });
      }
      expect(harness.store.seen.map(({ operation }) => operation)).to.deep.equal(['claim', 'get']);
      void first;
    });

    it('does not join a call with another payload', async () => {
      const gate = deferred<string>();
      const first = harness.call(() => gate.promise, { wait: 5, fingerprint: () => 10 });
      await harness.clock.advance(0);

      await expectRejection(
        harness.call(body, { wait: 5, fingerprint: () => 99 }),
        IdempotencyPayloadMismatchError,
      );

      gate.resolve('done');
      await first;
    });

    it('answers a call from inside the very run at once', async () => {
      let inner: Outcome<string> | undefined;

      await harness.call(
        async () => {
          inner = await harness.call(body, { wait: 600 });
        },
        { wait: 600 },
      );

      expect(inner?.status).to.equal('in-progress');
      expect(runs).to.equal(0);
    });

    it('answers at once through a run of another key in between', async () => {
      let inner: Outcome<string> | undefined;

      await harness.call(
        () =>
          harness.call(
            async () => {
              inner = await harness.call(body, { wait: 600 });
            },
            { wait: 600, key: 'o2' },
          ),
        { wait: 600 },
      );

      expect(inner?.status).to.equal('in-progress');
    });

    it('replays a recorded error to the calls that waited', async () => {
      const gate = deferred<string>();
      const recordErrorIf = (): boolean => true;
      const first = harness.call(() => gate.promise, { wait: 5, recordErrorIf });
      await harness.clock.advance(0);
      const second = harness.call(body, { wait: 5, recordErrorIf });
      await harness.clock.advance(0);
      gate.reject(new Error('declined for good'));

      expect((await expectRejection(first)).message).to.equal('declined for good');
      expect((await expectRejection(second)).message).to.equal('declined for good');
      expect(runs).to.equal(0);
    });
  });

  describe('for a call elsewhere', () => {
    it('polls until the result is there', async () => {
      const token = await claimElsewhere(harness);
      const call = harness.call(body, { wait: 5 });
      await harness.clock.advance(2000);
      await completeElsewhere(harness, token, 'theirs');
      await harness.clock.advance(1000);

      expect(await call).to.deep.include({ status: 'replayed', result: 'theirs' });
      expect(runs).to.equal(0);
    });

    // F43
    it('polls ever less often, and stops at its limit', async () => {
      await claimElsewhere(harness);
      const call = harness.call(body, { wait: 30 });
      await harness.clock.advance(30_000);

      expect((await call).status).to.equal('in-progress');
      // Pauses of 50 ms to a second, each shortened by up to half: at most 70 reads in 30 s.
      expect(harness.store.count('get')).to.be.within(28, 70);
      expect(harness.clock.pendingTimers).to.equal(0);
    });

    it('runs when the claim elsewhere is released', async () => {
      const token = await claimElsewhere(harness);
      const call = harness.call(body, { wait: 5 });
      await harness.clock.advance(500);
      await harness.memory.release({ id: 'o1', token });
      await harness.clock.advance(1500);

      expect((await call).status).to.equal('executed');
      expect(runs).to.equal(1);
    });

    it('takes over when the claim elsewhere lapses meanwhile', async () => {
      await claimElsewhere(harness, 2000);
      const call = harness.call(body, { wait: 10 });
      await harness.clock.advance(4000);

      expect((await call).status).to.equal('executed');
    });

    it('goes on polling through an outage, and never fails open on it', async () => {
      const token = await claimElsewhere(harness);
      harness.store.next('get', dropped(), dropped());
      const call = harness.call(body, { wait: 10, onStoreUnavailable: 'run' });
      await harness.clock.advance(1000);
      await completeElsewhere(harness, token, 'theirs');
      await harness.clock.advance(2000);

      expect(await call).to.deep.include({ status: 'replayed' });
      expect(runs).to.equal(0);
    });

    // F89
    it('is bounded by the remaining time of the invocation', async () => {
      await claimElsewhere(harness);
      const context = { getRemainingTimeInMillis: () => 3000 };
      const call = harness.call(body, { wait: 60, context });
      await harness.clock.advance(2500);

      expect((await call).status).to.equal('in-progress');
    });
  });
});
