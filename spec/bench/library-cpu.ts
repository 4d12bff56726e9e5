/* What a contestant costs by itself: `client.send` is stubbed. */
import { loadContestants } from './contestants/index.js';
import { compare, type Row } from './row.js';
import type { Effort } from './rounds.js';
import { firstRun, race, replay, type Prepare } from './scenarios.js';

const depth = 'library';

const rows: readonly { what: string; prepare: Prepare; atMost: number; byHand?: false }[] = [
  {
    what: 'first run, 200 B event, key function',
    prepare: firstRun({ depth, key: 'orderId', eventBytes: 200, resultBytes: 200 }),
    atMost: 0.3,
  },
  {
    what: 'first run, 10 KB event, default key',
    prepare: firstRun({ depth, key: 'event', eventBytes: 10_000, resultBytes: 200 }),
    atMost: 0.35,
  },
  {
    what: 'first run, 200 KB event, default key',
    prepare: firstRun({ depth, key: 'event', eventBytes: 200_000, resultBytes: 200 }),
    atMost: 0.35,
  },
  {
    what: 'replay, 200 B result',
    prepare: replay({ depth, resultBytes: 200 }),
    atMost: 0.28,
  },
  {
    what: 'replay, 10 KB result',
    prepare: replay({ depth, resultBytes: 10_000 }),
    atMost: 0.45,
  },
  {
    what: 'replay from the cache, 200 B result',
    prepare: replay({ depth, resultBytes: 200, cache: true }),
    atMost: 0.3,
    byHand: false,
  },
];

export async function measure(effort: Effort): Promise<Row[]> {
  const contestants = await loadContestants();
  const measured: Row[] = [];
  for (const { what, prepare, atMost, byHand = true } of rows) {
    const racing = contestants.filter(({ name }) => byHand || name !== 'by hand');
    measured.push(
      compare({
        what: `library CPU, ${what}`,
        unit: 'µs',
        samples: await race(racing, prepare, effort),
        to: 'Powertools',
        limit: { atMost },
      }),
    );
  }
  return measured;
}
