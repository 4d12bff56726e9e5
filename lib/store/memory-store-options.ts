import { inspect } from 'node:util';
import type { Clock } from '../time/clock.js';

export interface MemoryStoreOptions {
  /**
   * Tells `forget` the current time; nothing else here asks for it, since claims and completions
   * bring their own. A test that gives methods a manual clock gives it to the store too.
   * @default systemClock
   */
  readonly clock?: Clock;
  /**
   * Seconds that a claim or record outlives its end, for callers whose clocks differ. One process
   * has one clock, so it needs none.
   * @default 0
   */
  readonly clockSkew?: number;
  /**
   * How many records are kept, a whole number of at least 1. A claim beyond it evicts the expired
   * records it comes across and then the ones completed longest ago: their keys run again, so size
   * it for the records of one `ttl`. A running claim is never evicted: while all records are running
   * claims, the store grows beyond this number, and later claims bring it back.
   * @default unlimited
   */
  readonly maxRecords?: number;
}

export function checkMemoryStoreOptions({
  clock,
  clockSkew,
  maxRecords,
}: MemoryStoreOptions): void {
  if (clock !== undefined && !isClock(clock)) {
    throw new TypeError(expected('clock', 'a clock with `now` and `setTimer`', clock));
  }
  if (clockSkew !== undefined) {
    checkNumber('clockSkew', 'a number of seconds, 0 or more', clockSkew, (n) => n >= 0);
  }
  if (maxRecords !== undefined) {
    const what = 'a whole number of at least 1';
    checkNumber('maxRecords', what, maxRecords, (n) => Number.isInteger(n) && n >= 1);
  }
}

function checkNumber(
  name: string,
  what: string,
  value: unknown,
  isValid: (value: number) => boolean,
): void {
  if (typeof value !== 'number') throw new TypeError(expected(name, what, value));
  if (!Number.isFinite(value) || !isValid(value)) throw new RangeError(expected(name, what, value));
}

function isClock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { now, setTimer } = value as Partial<Clock>;
  return typeof now === 'function' && typeof setTimer === 'function';
}

function expected(name: string, what: string, value: unknown): string {
  return `Expected \`${name}\` to be ${what}, got ${inspect(value, { depth: -1 })} (MemoryStore)`;
}
