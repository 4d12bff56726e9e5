/* What a call costs with all of the SDK: serialised, signed and parsed, with no network behind. */
import { loadContestants } from './contestants/index.js';
import { compare, type Row } from './row.js';
import type { Effort } from './rounds.js';
import { firstRun, race, replay, type Prepare } from './scenarios.js';

const depth = 'whole client';
const sizes = [
  { size: '200 B', resultBytes: 200, atMost: 1.05 },
  { size: '10 KB', resultBytes: 10_000, atMost: 1.08 },
];
const kinds: readonly { kind: string; prepare: (resultBytes: number) => Prepare }[] = [
  {
    kind: 'first run',
    prepare: (resultBytes) => firstRun({ depth, key: 'orderId', eventBytes: 200, resultBytes }),
  },
  { kind: 'replay', prepare: (resultBytes) => replay({ depth, resultBytes }) },
];

export async function measure(given: Effort): Promise<Row[]> {
  // A call takes the SDK half a millisecond, and its code thousands of calls to be compiled.
  const effort = { ...given, warmUpMs: 3 * given.warmUpMs, turnMs: 3 * given.turnMs };
  const contestants = await loadContestants();
  const measured: Row[] = [];
  for (const { kind, prepare } of kinds) {
    for (const { size, resultBytes, atMost } of sizes) {
      measured.push(
        compare({
          what: `whole client CPU, ${kind}, ${size} result`,
          unit: 'µs',
          samples: await race(contestants, prepare(resultBytes), effort),
          to: 'by hand',
          limit: { atMost },
        }),
      );
    }
  }
  return measured;
}
