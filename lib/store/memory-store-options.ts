import { wrongOption } from '../errors/wrong-option.js';
import type { Awaitable } from '../results/result-codec.js';
import type { Clock } from '../time/clock.js';
import type { TransactWrite } from './idempotency-store.js';
import { checkClock, checkNumber } from './option-checks.js';

/** Options of {@link MemoryStore}; all have defaults. */
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
  /**
   * Applies the writes that a method defers with `commitWith`, all of them or none: what a test puts
   * in the place of DynamoDB's transaction. Only a store that is given it takes such methods.
   *
   * It is called once per commit, before the record is completed, and may return a promise; while
   * that is pending no other call gets the key. What it throws or rejects with cancels the commit:
   * the record is left as it was and the call rejects with `IdempotencyCommitError`, whose `reasons`
   * hold the error's name. An error of this package is passed on as it is, so that a test can choose
   * the reasons, or play a store that fails.
   * @example
   * ```ts
   * const placed = new Map<string, object>();
   * const store = new MemoryStore({
   *   transact(writes) {
   *     for (const { Put } of writes) placed.set(...entryOf(Put));
   *   },
   * });
   * ```
   * @default none: `commitWith` is a TypeError
   */
  readonly transact?: Transact;
}

/** See {@link MemoryStoreOptions.transact}. */
export type Transact = (writes: readonly TransactWrite[]) => Awaitable<void>;

const WHERE = 'MemoryStore';

export function checkMemoryStoreOptions({
  clock,
  clockSkew,
  maxRecords,
  transact,
}: MemoryStoreOptions): void {
  checkClock(clock, WHERE);
  if (clockSkew !== undefined) {
    const what = 'a number of seconds, 0 or more';
    checkNumber(clockSkew, 'clockSkew', what, WHERE, (n) => Number.isFinite(n) && n >= 0);
  }
  if (maxRecords !== undefined) {
    const what = 'a whole number of at least 1';
    checkNumber(maxRecords, 'maxRecords', what, WHERE, (n) => Number.isInteger(n) && n >= 1);
  }
  if (transact !== undefined && typeof transact !== 'function') {
    throw new TypeError(
      wrongOption('transact', 'a function of the deferred writes', transact, WHERE),
    );
  }
}
