import type { LambdaContextLike } from '../configuration/options.js';
import type { Clock } from '../time/clock.js';

/** A claim never lapses sooner than this, whatever the context says. */
const MIN_LEASE_MS = 1000;
const DEFAULT_LEASE_MS = 60_000;
/** Lambda ends an invocation after 15 minutes at most; a day is beyond every context that counts. */
const MAX_REMAINING_MS = 24 * 3600 * 1000;
/** What the store leaves of the remaining time for the caller to answer in. */
const RESERVE_MS = 500;
/** The shortest bound on a store operation: less would only make sure that it fails. */
const MIN_OPERATION_MS = 100;

/** How long claims of one call last. */
export interface Lease {
  /** The length of a claim that is not tied to a deadline. */
  readonly leaseMs: number;
  /** When the invocation ends; absent where no context says so. */
  readonly deadlineMs: number | undefined;
  /** Whether claims end with the deadline; else they are renewed while the method runs. */
  readonly tiedToDeadline: boolean;
}

/**
 * The lease of a call: the explicit one, else the invocation's remaining time, else a minute.
 * A remaining time of 0 or less (the invocation is about to be killed, or a stub) gives the shortest
 * claim there is, renewed while the process lives; one that is no usable number counts as none.
 */
export function leaseFor(
  explicitLeaseMs: number | undefined,
  context: LambdaContextLike | undefined,
  clock: Clock,
): Lease {
  const remainingMs = context === undefined ? undefined : remainingTimeMs(context);
  const deadlineMs =
    remainingMs === undefined || remainingMs <= 0 ? undefined : clock.now() + remainingMs;
  const leaseMs = explicitLeaseMs ?? (remainingMs === undefined ? DEFAULT_LEASE_MS : MIN_LEASE_MS);
  return {
    leaseMs: Math.max(leaseMs, MIN_LEASE_MS),
    deadlineMs,
    tiedToDeadline: explicitLeaseMs === undefined && deadlineMs !== undefined,
  };
}

function remainingTimeMs(context: LambdaContextLike): number | undefined {
  let remainingMs: unknown;
  try {
    remainingMs = context.getRemainingTimeInMillis();
  } catch {
    // A context that cannot tell is no context: the call gets the default lease.
    return undefined;
  }
  return typeof remainingMs === 'number' && remainingMs <= MAX_REMAINING_MS
    ? remainingMs
    : undefined;
}

/** When a claim made or renewed at `nowMs` ends; at least a second away. */
export function claimEndMs(lease: Lease, nowMs: number): number {
  if (lease.tiedToDeadline && lease.deadlineMs !== undefined) {
    return Math.max(lease.deadlineMs, nowMs + MIN_LEASE_MS);
  }
  return nowMs + lease.leaseMs;
}

/** `endMs`, or the moment before it after which the caller could not answer any more. */
export function endInTimeMs(lease: Lease, endMs: number): number {
  return lease.deadlineMs === undefined ? endMs : Math.min(endMs, lease.deadlineMs - RESERVE_MS);
}

/** How long a store operation started at `nowMs` may take so that the caller can still answer. */
export function operationTimeoutMs(lease: Lease, nowMs: number): number | undefined {
  if (lease.deadlineMs === undefined) return undefined;
  return Math.max(lease.deadlineMs - nowMs - RESERVE_MS, MIN_OPERATION_MS);
}
