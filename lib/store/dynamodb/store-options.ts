import { wrongOption } from '../../errors/wrong-option.js';
import type { Clock } from '../../time/clock.js';
import { secondsToMs } from '../../time/duration.js';
import { checkKeyPrefix, checkKnown, checkSeconds } from '../option-checks.js';
import type { ClientOptions } from './client.js';
import type { TableLayoutOptions } from './table-layout.js';

/** Options of `DynamoDBStore`. Wrong ones throw a `TypeError`, wrong numbers a `RangeError`. */
export type DynamoDBStoreOptions = ClientOptions &
  TableLayoutOptions & {
    /**
     * The table's name or ARN.
     * @default the environment variable `MAYFLY_IDEMPOTENCY_TABLE`, read at the first use
     */
    readonly table?: string | undefined;
    /**
     * By how much the clocks of two callers may differ, in seconds. Somebody else's record counts as
     * expired, and a claim as lapsed, only this much later. 0 to 3600.
     * @default 1
     */
    readonly clockSkew?: number;
    /**
     * The most that one operation may take, with all its attempts, in seconds; the engine cuts it to
     * the remaining time of the invocation. Then it rejects with a retryable `IdempotencyStoreError`,
     * whose request may have been applied all the same. More than 0, at most 3600.
     * @default 5
     */
    readonly timeout?: number;
    /**
     * What stands before the id in the key, for a table that other things share: `idem#`. Records
     * are returned without it. At most 512 bytes of UTF-8.
     * @default ''
     */
    readonly keyPrefix?: string;
    /**
     * Reads before it claims, for methods whose calls are mostly replays: one eventually consistent
     * `GetItem`, which is believed where it shows a finished record that has not expired, and is
     * followed by the normal claim in every other case, an unreadable record or a retryable failure
     * of the read included. A replay then costs read units instead of write units, at half a read
     * unit and one round trip more for every other call.
     *
     * Such a read may be a moment behind: a call right after `forget` may still get the record that
     * was removed. It has at most half of the operation's time.
     * @default false
     */
    readonly readFirst?: boolean;
    /**
     * What measures `timeout`, for tests.
     * @default systemClock
     */
    readonly clock?: Clock;
  };

const DEFAULT_CLOCK_SKEW_SECONDS = 1;
const DEFAULT_TIMEOUT_SECONDS = 5;

const known = [
  ...['table', 'client', 'clientConfig', 'clockSkew', 'timeout', 'keyPrefix'],
  ...['attributes', 'sortKey', 'readFirst', 'clock'],
];

/** The checked numbers and strings of the options. */
export interface StoreSettings {
  readonly table: string | undefined;
  readonly clockSkewMs: number;
  readonly timeoutMs: number;
  readonly keyPrefix: string;
  readonly readFirst: boolean;
}

export function checkStoreOptions(options: DynamoDBStoreOptions, where: string): StoreSettings {
  checkKnown(options, known, where);
  const { clockSkew = DEFAULT_CLOCK_SKEW_SECONDS, timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const { keyPrefix = '' } = options;
  const { table, readFirst = false } = options as { table?: unknown; readFirst?: unknown };
  checkSeconds(clockSkew, 'clockSkew', 'a number of seconds, 0 or more', where, (n) => n >= 0);
  checkSeconds(timeout, 'timeout', 'a positive number of seconds', where, (n) => n > 0);
  if (table !== undefined && (typeof table !== 'string' || table === '')) {
    throw new TypeError(wrongOption('table', "a table's name or ARN", table, where));
  }
  checkKeyPrefix(keyPrefix, where);
  if (typeof readFirst !== 'boolean') {
    throw new TypeError(wrongOption('readFirst', 'a boolean', readFirst, where));
  }
  return {
    table,
    clockSkewMs: secondsToMs(clockSkew),
    timeoutMs: timeout * 1000,
    keyPrefix,
    readFirst,
  };
}
