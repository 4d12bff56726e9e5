import { processState } from '../configuration/process-state.js';
import type { Claim, Completion, IdempotencyStore } from '../store/idempotency-store.js';
import type { Call } from './call.js';
import type { Recorded } from './completion.js';
import type { RenewalObserver } from './renewal.js';

/**
 * What `mayfly-idempotency/execution` adds to runs: they know of themselves and can defer writes.
 * Importing that entry registers it; the engine only looks whether it is there, and is lighter
 * without it.
 */
export interface ExecutionTracking {
  /** Tracks the run of a call under its claim. */
  track(call: Call, claim: Claim): TrackedRun;
  /** Runs a method whose claim could not be made, and applies what it deferred. */
  runWithoutClaim(call: Call): Promise<unknown>;
  /** Runs a method that has no key or whose protection is switched off, and applies what it deferred. */
  runWithoutKey(unprotected: Unprotected): Promise<unknown>;
}

/** A run under a claim, from the method's start to its outcome. */
export interface TrackedRun {
  /** Wants to know what becomes of the claim. */
  readonly execution: RenewalObserver;
  /** Calls `run` so that all code inside belongs to this run. */
  enter(run: () => unknown): unknown;
  /** The method has returned and defers nothing any more; gives what it deferred, if anything. */
  close(): DeferredCommit | undefined;
  /** The call is over, however it ended. */
  end(): void;
}

/** Writes that a method has deferred to the moment when its result is recorded. */
export interface DeferredCommit {
  /**
   * Records the completion and applies the writes, both or neither.
   *
   * @throws IdempotencyCommitError. The key is free again where nothing was applied, and never where
   * that is unknown.
   */
  commit(result: unknown, completion: Completion, claim: Claim): Promise<Recorded>;
  /** The error of a late owner: its writes are dropped with its result. */
  lost(result: unknown): Error;
}

/** A call without an id, and its store only where that is needed. */
export interface Unprotected {
  readonly method: string;
  readonly run: () => unknown;
  readonly openStore: () => IdempotencyStore | Promise<IdempotencyStore>;
  readonly callOn: (store: IdempotencyStore) => Call;
}

/** @returns What is registered: of several copies of this package the first one serves all. */
export function registerExecutionTracking<T extends ExecutionTracking>(tracking: T): T {
  return (processState.executions ??= tracking) as T;
}

/** What is registered, by whichever copy of this package; absent, runs do not know of themselves. */
export function executionTracking(): ExecutionTracking | undefined {
  return processState.executions as ExecutionTracking | undefined;
}
