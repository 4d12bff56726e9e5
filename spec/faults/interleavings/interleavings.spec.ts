import { expect } from 'chai';
import fc from 'fast-check';
import { interleavings, type Tally } from './explore.js';
import { plantedFaults } from './planted-faults.js';
import { InvariantBroken } from './world.js';

/*
 * The real engine, played without real time against a table in memory: callers in several processes
 * whose clocks differ, requests that are lost, applied without an answer, late or twice, timers that
 * fire late, processes that crash. play.ts says what can happen; table-audit.ts and caller-audit.ts
 * say what must not.
 *
 * `MAYFLY_INTERLEAVINGS=1000000` plays so many. `MAYFLY_SEED` plays the same ones again; with
 * `MAYFLY_PATH` too (both are in the message of a failure) only the one that failed.
 */
const TOTAL = Number(process.env['MAYFLY_INTERLEAVINGS'] ?? 24_000);
const SEED = Number(process.env['MAYFLY_SEED'] ?? Date.now() % 2 ** 31);
const PATH = process.env['MAYFLY_PATH'];

/** A planted fault has to be found within so many; one in a hundred or so shows it. */
const ENOUGH = 4000;

/** What the interleavings must come across, or they prove nothing. */
const HAPPENINGS = [
  'claim lost',
  'crashed',
  'error replayed',
  'executed',
  'expired claim',
  'finished record replaced',
  'in-progress',
  'landed late',
  'mishap of claim',
  'mishap of complete',
  'mishap of get',
  'mishap of release',
  'mishap of renew',
  'renewed',
  'replayed',
  'run',
  'run without a claim',
  'store error',
  'taken over',
  'threw',
];

describe(`all interleavings (seed ${String(SEED)})`, function () {
  this.timeout(120_000 + TOTAL * 20);

  describe('of the engine', () => {
    const tally: Tally = new Map();
    const numRuns = Math.ceil(TOTAL / 3);

    for (const callers of [2, 3, 4]) {
      it(`keep the guarantee: ${String(numRuns)} of ${String(callers)} callers`, async () => {
        await fc.assert(interleavings({ min: callers, max: callers }, { tally }), {
          numRuns,
          seed: SEED,
          ...(PATH === undefined ? {} : { path: PATH }),
        });
      });
    }

    if (PATH === undefined && TOTAL >= 6000) {
      it('come across everything that can happen', () => {
        expect([...tally.keys()]).to.include.members(HAPPENINGS);
      });
    }
  });

  describe('of a planted fault', () => {
    for (const { name, breaks, parts } of plantedFaults) {
      it(`break an invariant: ${name}`, async function () {
        const { errorInstance, numRuns } = await fc.check(
          interleavings({ min: 2, max: 4 }, { parts }),
          { numRuns: ENOUGH, seed: SEED, endOnFailure: true },
        );

        expect(errorInstance).to.be.instanceOf(InvariantBroken);
        expect((errorInstance as InvariantBroken).invariant).to.match(breaks);
        if (this.test !== undefined) this.test.title += ` (seen after ${String(numRuns)})`;
      });
    }
  });
});
