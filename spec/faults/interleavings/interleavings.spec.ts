import { expect } from 'chai';
import fc from 'fast-check';
import { interleavings, type Tally } from './explore.js';
import { InvariantBroken } from './world.js';
import { plantedFaults } from './planted-faults.js';

/*
 * Each interleaving is played by the real engine against a table in memory, without real time:
 * callers in several processes with clocks that differ, requests that are lost, applied without an
 * answer, applied late or twice, frozen and crashed processes. See play.ts for what can happen and
 * the two audits for what must not.
 *
 * `MAYFLY_INTERLEAVINGS=1000000` plays as many; `MAYFLY_SEED` plays the same ones again, and with
 * `MAYFLY_PATH` the one that a failure tells.
 */
const TOTAL = Number(process.env['MAYFLY_INTERLEAVINGS'] ?? 21_000);
const SEED = Number(process.env['MAYFLY_SEED'] ?? Date.now() % 2 ** 31);
const PATH = process.env['MAYFLY_PATH'];

/** A planted fault has to be found within so many. */
const ENOUGH = 5000;

/** What a run of the checker that proves something has come across. */
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
  this.timeout(60_000 + TOTAL * 20);

  describe('of the engine', () => {
    const tally: Tally = new Map();
    const runs = Math.ceil(TOTAL / 3);

    for (const callers of [2, 3, 4]) {
      it(`keep the guarantee: ${String(runs)} of ${String(callers)} callers`, async () => {
        await fc.assert(interleavings({ min: callers, max: callers }, { tally }), {
          numRuns: runs,
          seed: SEED,
          ...(PATH === undefined ? {} : { path: PATH }),
        });
      });
    }

    it('come across everything that can happen', () => {
      console.log(tally);
      expect([...tally.keys()]).to.include.members(HAPPENINGS);
    });
  });

  describe('of a planted fault', () => {
    for (const { name, breaks, parts } of plantedFaults) {
      it(`break an invariant: ${name}`, async () => {
        const found = await fc.check(interleavings({ min: 2, max: 4 }, { parts }), {
          numRuns: ENOUGH,
          seed: SEED,
          endOnFailure: true,
        });

        expect(found.errorInstance).to.be.instanceOf(InvariantBroken);
        expect((found.errorInstance as InvariantBroken).invariant).to.match(breaks);
        console.log(found.numRuns, (found.errorInstance as InvariantBroken).invariant);
      });
    }
  });
});
