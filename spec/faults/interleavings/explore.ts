import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { Parts } from './interleaving.js';
import { plans, type Plan } from './plan.js';
import { play } from './play.js';

/** How many interleavings between two turns of the event loop. */
const PLAYED_PER_TURN = 200;

/** Collects how often what happened in all interleavings together. */
export type Tally = Map<string, number>;

/** The property that interleavings of so many callers break no invariant. */
export function interleavings(
  callers: { readonly min: number; readonly max: number },
  { parts, tally }: { readonly parts?: Parts; readonly tally?: Tally } = {},
): fc.IAsyncProperty<[Plan]> {
  let played = 0;
  return fc.asyncProperty(plans(callers), async (plan) => {
    // What rejects unheard is told at the turns of the event loop, and so is mocha's timeout.
    if (++played % PLAYED_PER_TURN === 0) await setImmediate();
    for (const [what, times] of await play(plan, parts)) {
      tally?.set(what, (tally.get(what) ?? 0) + times);
    }
  });
}
