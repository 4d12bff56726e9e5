import type { Awaitable } from '../results/result-codec.js';
import type {
  IdempotencyRecord,
  IdempotencyStore,
  TransactWrite,
} from '../store/idempotency-store.js';

/**
 * What `describeStoreContract` needs to know about a store.
 *
 * @example
 * ```ts
 * const harness: StoreHarness = {
 *   create: () => ({ store: new MyStore({ clockSkew: 2 }) }),
 *   clockSkewSeconds: 2,
 * };
 * ```
 */
export interface StoreHarness<S extends IdempotencyStore = IdempotencyStore> {
  /**
   * Makes the store for one test, called once per test. Stores may share a table with each other
   * and with other runs: every test uses ids of its own.
   */
  readonly create: () => Awaitable<StoreUnderTest<S>>;
  /**
   * Puts a record in place as it is, the way a program before this one may have left it: some
   * states are not reached through the contract's methods. `takeoverAtMs` is never given, since it
   * follows from the rest. Without it the tests about such records are left out.
   */
  seed?(store: S, record: IdempotencyRecord): Awaitable<void>;
  /**
   * Makes a store whose back end cannot be reached and which gives up at once. Without it the test
   * that failures reject is left out.
   */
  readonly createUnavailable?: () => Awaitable<StoreUnderTest<S>>;
  /**
   * Makes a store whose back end takes requests and never answers. Without it the test that the
   * caller's time limit ends an operation is left out; it is the one test that waits, for 25 ms.
   */
  readonly createUnresponsive?: () => Awaitable<StoreUnderTest<S>>;
  /**
   * How the tests of `commit` make writes of the caller's and see what became of them. Without it
   * they are left out: `commit` is optional.
   */
  readonly effects?: EffectsHarness<S>;
  /**
   * The allowance for clocks that differ with which `create` makes the store, in seconds.
   * @default 0
   */
  readonly clockSkewSeconds?: number;
  /**
   * By how much less than this the store may round `expiresAtMs` up, in milliseconds: 1000 for whole
   * seconds, 1 for a store that keeps the millisecond.
   * @default 1000
   */
  readonly expiryGranularityMs?: number;
  /**
   * The test runner's functions.
   * @default the globals `describe` and `it`, as mocha, Jest and Vitest (with `globals`) have them
   */
  readonly runner?: ContractRunner;
}

/**
 * Writes for the tests of `commit`. An effect is a number that begins at 0, kept where the store's
 * transactions reach; each test uses names of its own.
 */
export interface EffectsHarness<S extends IdempotencyStore = IdempotencyStore> {
  /**
   * A write that adds 1 to the effect `name`, each time it is applied: one that were the same after
   * the second time as after the first would hide a repetition.
   */
  write(store: S, name: string): TransactWrite;
  /** A write that the back end refuses, whatever is there. */
  refusedWrite(store: S, name: string): TransactWrite;
  /** What the effect `name` has come to. */
  count(store: S, name: string): Awaitable<number>;
}

/** A store for one test. */
export interface StoreUnderTest<S extends IdempotencyStore = IdempotencyStore> {
  readonly store: S;
  /** Called when the test is over, however it ended. */
  dispose?(): Awaitable<void>;
}

/** The part of a test runner that the contract needs; `node:test`, mocha, Jest and Vitest have it. */
export interface ContractRunner {
  describe(title: string, body: () => void): unknown;
  it(title: string, body: () => Promise<void>): unknown;
}

/** The runner of the harness, else the one among the globals. */
export function runnerOf(harness: Pick<StoreHarness, 'runner'>): ContractRunner {
  if (harness.runner !== undefined) return harness.runner;
  const { describe, it } = globalThis as Partial<ContractRunner>;
  if (typeof describe === 'function' && typeof it === 'function') return { describe, it };
  throw new TypeError(
    'describeStoreContract found no global `describe` and `it`: run it in a test runner that has them, or pass `runner: { describe, it }` in the harness',
  );
}
