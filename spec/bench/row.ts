import type { ContestantName } from './contestants/contestant.js';
import { ratios, spreadOf, type Samples, type Spread } from './rounds.js';

export interface Bar {
  readonly text: string;
  readonly met: boolean;
}

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly figures: Readonly<Partial<Record<ContestantName, Spread>>>;
  /** mayfly's figure as a multiple of somebody else's. */
  readonly ratio?: { readonly to: ContestantName; readonly spread: Spread };
  readonly bar?: Bar;
  /** Of a row that has to be exact on every machine: whether it is. */
  readonly exact?: boolean;
}

export type Limit = { readonly atMost: number } | { readonly atLeast: number };

export interface Comparison {
  readonly what: string;
  readonly unit: string;
  readonly samples: Samples<'mayfly'> & Partial<Samples<ContestantName>>;
  readonly to: ContestantName;
  readonly limit?: Limit;
}

/** A row whose bar is a ratio: the median of the rounds' ratios. */
export function compare({ what, unit, samples, to, limit }: Comparison): Row {
  const spread = spreadOf(ratios(samples.mayfly, samples[to] ?? []));
  return {
    what,
    unit,
    figures: spreads(samples),
    ratio: { to, spread },
    ...(limit === undefined ? {} : { bar: barOf(spread.median, limit, `of ${to}`) }),
  };
}

export function barOf(figure: number, limit: Limit, of: string): Bar {
  return 'atMost' in limit
    ? { text: `≤ ${limit.atMost.toFixed(2)} ${of}`, met: figure <= limit.atMost }
    : { text: `≥ ${limit.atLeast.toFixed(2)} ${of}`, met: figure >= limit.atLeast };
}

export function exactly(value: number): Spread {
  return { median: value, p10: value, p90: value };
}

export function spreads(samples: Partial<Samples<ContestantName>>): Row['figures'] {
  return Object.fromEntries(
    Object.entries(samples).map(([name, values]) => [name, spreadOf(values)]),
  );
}
