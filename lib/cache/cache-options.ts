import { wrongOption } from '../errors/wrong-option.js';
import { checkKnown, checkNumber, isStoreShaped } from '../store/option-checks.js';
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
  if (!isStoreShaped(store)) throw new TypeError(wrongOption('store', 'a store', store, WHERE));
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(wrongOption('options', 'an object with `max`', options, WHERE));
  }
  checkKnown(options, known, WHERE);
  const { max, maxAge = DEFAULT_MAX_AGE_SECONDS } = options as Record<string, unknown>;
  const entries = checkNumber(
    max,
    'max',
    `a whole number from 1 to ${String(MAX_ENTRIES)}`,
    WHERE,
    (count) => Number.isInteger(count) && count >= 1 && count <= MAX_ENTRIES,
  );
  const seconds = checkNumber(
    maxAge,
    'maxAge',
    `a positive number of seconds up to ${String(MAX_AGE_SECONDS)}`,
    WHERE,
    (age) => age > 0 && age <= MAX_AGE_SECONDS,
  );
  return { max: entries, maxAgeMs: secondsToMs(seconds) };
}
