/* What every build of the fixture has to do, and how what it did is judged. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Dialect } from './workspace.js';

export interface Report {
  readonly members: Record<string, unknown>;
  readonly derived: { readonly ids: readonly string[] } & Record<string, unknown>;
  readonly faults: Record<string, string>;
  readonly warnings: readonly string[];
}

export const plain = 'plain';
export const minified = 'minified';
export const namesKept = 'minified, names kept';
export type Variant = typeof plain | typeof minified | typeof namesKept;

const hashed = (value: unknown): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`;

/** A first call, and a second with its result and without a run; `super` makes both claim. */
function replayed(
  first: unknown,
  runs: readonly string[],
  ids: readonly string[],
  replay = first,
): object {
  const [outer] = ids;
  // JSON, which the report comes in, leaves `undefined` out.
  return { ...(first !== undefined && { first, replay }), runs, ids: [...ids, outer] };
}

const commonMembers = {
  instance: replayed({ paid: 5, by: 't1' }, ['place'], ['orders#o1'], {
    paid: 5,
    by: 't1',
    note: 'replayed orders#o1',
  }),
  parameters: replayed('o1 late', ['cancel'], [`orders.cancel#${hashed(['o1', 'late'])}`]),
  static: replayed(4, ['audit'], ['orders.audit#a1']),
  super: replayed(
    { paid: 5, by: 't1 by card' },
    ['card', 'place'],
    ['card-orders#o2', 'orders#o2'],
  ),
  inherited: replayed('o2 late', ['cancel'], [`orders.cancel#${hashed(['o2', 'late'])}`]),
  classDefaults: replayed('ledger 7', ['post'], ['ledger.post#7']),
  preset: replayed('l1', ['send'], [`preset#${hashed(['l1'])}`]),
  function: replayed({ shipped: 'o1' }, ['ship'], ['ship#o1']),
  named: ['place', 1, 2, 'audit'],
  lookedUp: ['orders', 'orders#o1'],
};

const computedMembers = { symbol: replayed(undefined, ['refund'], ['orders.refund#o1']) };

const standardMembers = {
  private: replayed(7, ['charge'], ['payments.charge#5']),
  arrow: replayed('o1 2', ['pay'], ['payments.pay#o1']),
  arrowNamed: ['pay', 1],
};

const derived = replayed('o3', ['derived'], ['Orders.derived#o3']);

const commonFaults = {
  getter: /got an? (?:getter|accessor); supported are methods.*experimentalDecorators/u,
  class: /got a class; .*@IdempotencyDefaults/u,
};

const faults: Record<Dialect, Record<string, RegExp>> = {
  legacy: {
    ...commonFaults,
    property: /got a property; .*experimentalDecorators.*makeIdempotent/u,
  },
  standard: {
    ...commonFaults,
    accessor: /got an accessor; supported are methods.*experimentalDecorators/u,
    plainProperty: /Expected a function that returns a promise, got a number/u,
  },
};

const stripped = {
  arrow: replayed({ placed: 'o1', by: 't1' }, ['place'], ['orders#o1']),
  named: replayed('o1', ['charge'], ['charge#o1']),
  passesForIt: ['charge', 1],
};

const MINIFIED_NAME = 'MAYFLY_MINIFIED_NAME';

/** What is wrong with a report; nothing where all is as it has to be. */
export function differences(
  report: Report,
  { dialect, lacks }: { readonly dialect: Dialect; readonly lacks?: string },
  variant: Variant,
): string[] {
  const members = {
    ...commonMembers,
    ...(lacks === undefined && computedMembers),
    ...(dialect === 'standard' && standardMembers),
  };
  return [
    ...mismatches(report.members, members),
    ...derivedDifferences(report, variant),
    ...Object.entries(faults[dialect])
      .filter(([name, pattern]) => !pattern.test(report.faults[name] ?? ''))
      .map(([name]) => `${name}: ${String(report.faults[name])}`),
  ];
}

export function strippedDifferences(report: Record<string, unknown>): string[] {
  return mismatches(report, { ...stripped, warnings: [] });
}

/**
 * A derived namespace either is the class's own name, or a warning says that it is not; where names
 * are kept it is.
 */
function derivedDifferences({ derived: found, warnings }: Report, variant: Variant): string[] {
  const isOwnName = isDeepStrictEqual(found, derived) && warnings.length === 0;
  const isTold = variant !== namesKept && isDeepStrictEqual(warnings, [MINIFIED_NAME]);
  return isOwnName || isTold
    ? []
    : [`derived: ${JSON.stringify(found.ids)}, warnings ${warnings.join(', ') || 'none'}`];
}

function mismatches(found: Record<string, unknown>, expected: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])]
    .filter((name) => !isDeepStrictEqual(found[name], expected[name]))
    .map((name) => `${name}: ${JSON.stringify(found[name])}`);
}
