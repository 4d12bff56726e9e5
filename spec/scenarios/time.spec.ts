import { expect } from 'chai';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock, type ManualClock } from '../../lib/testing/manual-clock.js';
import { Harness } from '../execution/harness.js';
import { deferred } from '../support/deferred.js';

describe('time', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  const statusAfter = async (ms: number): Promise<string> => {
    await harness.clock.advance(ms);
    return (await harness.call(() => 'next')).status;
  };

  for (const [ms, status] of [
    [59_999, 'in-progress'],
    [60_000, 'in-progress'],
    [60_001, 'executed'],
  ] as const) {
    // F37
    it(`makes a lease of 60 s stand ${String(ms)} ms later: ${status}`, async () => {
      void harness.call(() => deferred().promise, { renewFor: 0 });

      expect(await statusAfter(ms)).to.equal(status);
    });
  }

  for (const [ms, status] of [
    [59_000, 'replayed'],
    [60_000, 'replayed'],
    [61_000, 'executed'],
  ] as const) {
    // F37
    it(`makes a ttl of 60 s stand ${String(ms)} ms later: ${status}`, async () => {
      await harness.call(() => 'first', { ttl: 60 });

      expect(await statusAfter(ms)).to.equal(status);
    });
  }

  // F38
  it('of expiry is a whole second, rounded up, whatever the ttl', async () => {
    await harness.clock.advance(1);
    await harness.call(() => 'first', { ttl: 0.5 });
    const startMs = harness.clock.now() - 1;

    expect((await harness.memory.get('o1'))?.expiresAtMs).to.equal(startMs + 1000);
  });

  // F13
  it('of a record without a lease ends with its ttl, not before', async () => {
    const expiresAtMs = harness.clock.now() + 600_000;
    harness.memory.seed({ id: 'o1', status: 'INPROGRESS', expiresAtMs });

    expect(await statusAfter(599_999)).to.equal('in-progress');
    expect(await statusAfter(1)).to.equal('in-progress');
    expect(await statusAfter(1)).to.equal('executed');
  });

  // F13
  it('of a running call without a context ends with the default lease', async () => {
    const gate = deferred();
    const first = harness.call(() => gate.promise);

    for (let minute = 0; minute < 5; minute++)
      expect(await statusAfter(60_000)).to.equal('in-progress');
    gate.resolve();
    await first;
  });

  // F50
  it('that is over needs no sweeper: an expired record is replaced in one write', async () => {
    const expiresAtMs = harness.clock.now() - 1000;
    harness.memory.seed({ id: 'o1', status: 'COMPLETED', result: '"old"', expiresAtMs });

    expect(await harness.call(() => 'new')).to.include({ status: 'executed', result: 'new' });
    expect(harness.store.seen.map(({ operation }) => operation)).to.deep.equal([
      'claim',
      'complete',
    ]);
    expect(await harness.call(() => 'newer')).to.include({ status: 'replayed', result: 'new' });
  });

  describe('of two processes whose clocks are 5 s apart', () => {
    const SKEW_SECONDS = 6;
    const start = async (clock: ManualClock, store: MemoryStore, body: () => unknown) =>
      withIdempotency({ store, clock }, () =>
        runIdempotent('o1', body, { key: 'o1', lease: 10, renewFor: 0 }),
      );

    for (const [who, ahead] of [
      ['behind', -5000],
      ['ahead', 5000],
    ] as const) {
      // F42
      it(`lets no two bodies overlap when the successor is ${who}, and holds it up by the skew at most`, async () => {
        const clock = manualClock();
        const other = manualClock(clock.now() + ahead);
        const store = new MemoryStore({ clock, clockSkew: SKEW_SECONDS });
        const startMs = clock.now();
        void start(clock, store, () => deferred().promise);
        await clock.advance(0);

        let tookOverAtMs: number | undefined;
        while (tookOverAtMs === undefined && clock.now() < startMs + 60_000) {
          await clock.advance(250);
          await other.advance(250);
          const outcome = await start(other, store, () => 'second');
          if (outcome.status === 'executed') tookOverAtMs = clock.now() - startMs;
        }

        expect(tookOverAtMs).to.be.above(10_000);
        expect(tookOverAtMs).to.be.at.most(10_000 + SKEW_SECONDS * 1000 + 5000 + 250);
      });
    }
  });
});
