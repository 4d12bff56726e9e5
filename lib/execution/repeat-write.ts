import {
  isIdempotencyClaimLostError,
  isIdempotencyCommitError,
  isIdempotencyStoreError,
} from '../errors/index.js';
import type { IdempotencyStore, OperationLimits } from '../store/idempotency-store.js';
import { pause, within } from '../time/clock.js';
import { limitsOf, type Call } from './call.js';
import { endInTimeMs } from './lease.js';
import { promiseOf, reportFailure } from './store-failure.js';

/**
 * An outcome's write is repeated until the claim's end, but no longer than this; and one attempt that
 * takes as long goes on without its caller.
 */
const MAX_WRITING_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** Why a write was given up. */
export interface WriteFailure {
  /** The last failure: a store's or record's error with the method on it, or the store's verdict. */
  readonly error: Error;
  /** Whether any attempt may have been applied. */
  readonly maybeApplied: boolean;
}

/**
 * Repeats the write of an outcome until it is applied, the claim or the time to answer ends (then at
 * least once), or the store says that repeating is no use. `write` must be the same request each time, so that one whose
 * reply was lost changes nothing when it is sent again.
 *
 * @returns The failure, where it was given up.
 */
export async function repeatWrite(
  operation: 'complete' | 'commit',
  claimEndMs: number,
  call: Call,
  write: (limits: OperationLimits) => Promise<void>,
): Promise<WriteFailure | undefined> {
  const { clock } = call.settings;
  let nowMs = clock.now();
  const giveUpAtMs = endInTimeMs(call.lease, Math.min(claimEndMs, nowMs + MAX_WRITING_MS));
  const isBounded = settlesInTime(call.store);
  let maybeApplied = false;
  let pausedMs = 0; // The clock may be set back meanwhile.
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const writing = promiseOf(write(limitsOf(call, nowMs)));
      await (isBounded ? writing : within(writing, MAX_WRITING_MS, clock));
      return undefined;
    } catch (cause) {
      if (isIdempotencyClaimLostError(cause) || isIdempotencyCommitError(cause)) {
        return { error: cause, maybeApplied };
      }
      const error = reportFailure(operation, cause, call);
      maybeApplied ||= !isIdempotencyStoreError(error) || error.maybeApplied;
      const retryable = isIdempotencyStoreError(error) && error.retryable;
      pausedMs += pauseMs;
      const late = clock.now() + pauseMs >= giveUpAtMs || pausedMs >= MAX_WRITING_MS;
      if (!retryable || late) return { error, maybeApplied };
      await pause(clock, pauseMs);
      nowMs = clock.now();
    }
  }
}

/**
 * Whether the store promises to settle in time by itself. The method has succeeded by now: whatever
 * else stands in the promise's place (a 0 for "no timeout", a getter that throws) is no promise.
 */
function settlesInTime(store: IdempotencyStore): boolean {
  try {
    const timeoutMs: unknown = store.timeoutMs;
    return typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= MAX_WRITING_MS;
  } catch {
    return false;
  }
}
