import { describe, isStoreShaped } from '../configuration/validate-options.js';
import { secondsToMs } from '../time/duration.js';

/** Options of `replayCache`. Wrong ones throw a `TypeError`, wrong numbers a `RangeError`. */
export interface ReplayCacheOptions {
  /**
   * How many records are kept; beyond it the one that was not asked for longest goes. Each holds its
   * encoded result, so the memory is this times the size of your results. Room for the entries is
   * taken at once, about 30 bytes each. A whole number, 1 to 1,000,000.
   */
  readonly max: number;
  /**
   * How long a record is replayed without asking the store, in seconds from the request that brought
   * it, and never beyond the record's `ttl`. What another process does to the record in the meantime
   * (`forget`) is not seen before. More than 0, at most 86,400 (a day).
   * @default 60
   */
  readonly maxAge?: number;
}

const WHERE = 'replayCache';
const known = ['max', 'maxAge'];

const MAX_ENTRIES = 1_000_000;
const DEFAULT_MAX_AGE_SECONDS = 60;
const MAX_AGE_SECONDS = 24 * 3600;

/** The checked options. */
export interface CacheSettings {
  readonly max: number;
  readonly maxAgeMs: number;
}

/** @throws TypeError, RangeError when something is no store or an option is wrong. */
export function checkCacheOptions(store: unknown, options: unknown): CacheSettings {
  if (!isStoreShaped(store)) throw new TypeError(expected('store', 'a store', store));
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(expected('options', 'an object with `max`', options));
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `Expected some of the options ${known.join(', ')}, got \`${unknown}\` (${WHERE})`,
    );
  }
  const { max, maxAge = DEFAULT_MAX_AGE_SECONDS } = options as Record<string, unknown>;
  const entries = checkNumber(
    max,
    'max',
    `a whole number from 1 to ${String(MAX_ENTRIES)}`,
    (count) => Number.isInteger(count) && count >= 1 && count <= MAX_ENTRIES,
  );
  const seconds = checkNumber(
    maxAge,
    'maxAge',
    `a positive number of seconds up to ${String(MAX_AGE_SECONDS)}`,
    (age) => age > 0 && age <= MAX_AGE_SECONDS,
  );
  return { max: entries, maxAgeMs: secondsToMs(seconds) };
}

function checkNumber(
  value: unknown,
  name: string,
  what: string,
  isValid: (value: number) => boolean,
): number {
  if (typeof value !== 'number') throw new TypeError(expected(name, what, value));
  if (!isValid(value)) throw new RangeError(expected(name, what, value));
  return value;
}

function expected(name: string, what: string, value: unknown): string {
  return `Expected \`${name}\` to be ${what}, got ${describe(value)} (${WHERE})`;
}
