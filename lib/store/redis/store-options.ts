import { wrongOption } from '../../errors/wrong-option.js';
import type { Clock } from '../../time/clock.js';
import { secondsToMs } from '../../time/duration.js';
import {
  checkClock,
  checkKeyPrefix,
  checkKnown,
  checkNumber,
  checkSeconds,
} from '../option-checks.js';
import type { RedisClientKind, RedisClientLike } from './client.js';

/** Options of `RedisStore`. Wrong ones throw a `TypeError`, wrong numbers a `RangeError`. */
export interface RedisStoreOptions {
  /**
   * Your client: of node-redis (`createClient`, `createCluster`, `createClientPool`), of ioredis
   * (`Redis`, `Cluster`) or of valkey-glide, connected by you to the primary. This package neither
   * connects nor closes it.
   */
  readonly client: RedisClientLike;
  /**
   * Which interface `client` has, where its methods do not tell: a wrapper that has those of
   * several.
   * @default found by the client's methods
   */
  readonly clientKind?: RedisClientKind;
  /**
   * By how much the clocks of two callers may differ, in seconds. Somebody else's record counts as
   * expired, and a claim as lapsed, only this much later. The server's clock decides nothing. 0 to
   * 3600.
   * @default 1
   */
  readonly clockSkew?: number;
  /**
   * The most that one operation may take, reconnections of the client included, in seconds; the
   * engine cuts it to the remaining time of the invocation. Then it rejects with a retryable
   * `IdempotencyStoreError`, whose request may have been applied all the same. More than 0, at most
   * 3600.
   * @default 5
   */
  readonly timeout?: number;
  /**
   * What stands before the id in the key. Records are returned without it. A hash tag in it, such as
   * `{orders}:`, puts all records into one slot of a cluster. At most 512 bytes of UTF-8.
   * @default 'idempotency:'
   */
  readonly keyPrefix?: string;
  /**
   * The most that an encoded result may take, in bytes: what is larger is recorded without it, as
   * too large to replay. A server or proxy that takes less (`proto-max-bulk-len`) may cut the
   * connection instead of saying so; then this has to stand below its limit. A whole number, 1 to
   * 384 MiB (Redis itself takes 512 MB, and bytes are kept as base64).
   * @default 67108864
   */
  readonly maxResultBytes?: number;
  /**
   * What measures `timeout`, and what tells `forget` the current time, for tests.
   * @default systemClock
   */
  readonly clock?: Clock;
}

const DEFAULT_CLOCK_SKEW_SECONDS = 1;
const DEFAULT_TIMEOUT_SECONDS = 5;
const DEFAULT_KEY_PREFIX = 'idempotency:';
const MAX_RESULT_BYTES = 384 * 1024 * 1024;
const DEFAULT_MAX_RESULT_BYTES = 64 * 1024 * 1024;

const known = [
  ...['client', 'clientKind', 'clockSkew', 'timeout', 'keyPrefix', 'maxResultBytes', 'clock'],
];

/** The checked numbers and strings of the options. */
export interface StoreSettings {
  readonly clockSkewMs: number;
  readonly timeoutMs: number;
  readonly keyPrefix: string;
  readonly maxResultBytes: number;
}

export function checkStoreOptions(options: RedisStoreOptions, where: string): StoreSettings {
  if (typeof options !== 'object' || (options as unknown) === null) {
    throw new TypeError(wrongOption('options', 'an object with a `client`', options, where));
  }
  checkKnown(options, known, where);
  const { clockSkew = DEFAULT_CLOCK_SKEW_SECONDS, timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const { keyPrefix = DEFAULT_KEY_PREFIX, maxResultBytes = DEFAULT_MAX_RESULT_BYTES } = options;
  checkSeconds(clockSkew, 'clockSkew', 'a number of seconds, 0 or more', where, (n) => n >= 0);
  checkSeconds(timeout, 'timeout', 'a positive number of seconds', where, (n) => n > 0);
  checkKeyPrefix(keyPrefix, where);
  checkNumber(
    maxResultBytes,
    'maxResultBytes',
    `a whole number of bytes, 1 to ${String(MAX_RESULT_BYTES)}`,
    where,
    (n) => Number.isInteger(n) && n >= 1 && n <= MAX_RESULT_BYTES,
  );
  checkClock(options.clock, where);
  return {
    clockSkewMs: secondsToMs(clockSkew),
    timeoutMs: timeout * 1000,
    keyPrefix,
    maxResultBytes,
  };
}
