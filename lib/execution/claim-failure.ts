import { isIdempotencyCommitError, isIdempotencyStoreError } from '../errors/index.js';
import type { Claim } from '../store/idempotency-store.js';
import type { CallOutcome } from './answer.js';
import type { Call } from './call.js';
import { isVerdict } from './claiming.js';
import { completionOf, failureOf, isRecordable, isRecordableError, record } from './completion.js';
import { publish } from './events.js';
import { executionTracking } from './execution-tracking.js';
import { runMethod } from './own-run.js';
import { release } from './release.js';
import { storeFailure } from './store-failure.js';

/**
 * The claim failed, perhaps after it was applied. It is given back by its token before the caller
 * hears of it, or, failing open, kept so that the run's outcome is recorded under it.
 */
export async function claimFailed(cause: unknown, call: Call): Promise<CallOutcome> {
  if (isVerdict(cause)) throw cause;
  const error = storeFailure('claim', cause, call);
  if (!isIdempotencyStoreError(error)) throw error;
  publish(call, { type: 'store-error', operation: 'claim', error });
  if (call.settings.onStoreUnavailable === 'run' && error.retryable) {
    publish(call, { type: 'unprotected', why: 'store-unavailable' });
    const result = error.maybeApplied ? await runUnderDoubt(call) : await runWithoutClaim(call);
    return { status: 'executed', result };
  }
  if (error.maybeApplied) await release(call, call);
  throw error;
}

/** Runs the method of a call whose claim could not be made. */
function runWithoutClaim(call: Call): unknown {
  const tracking = executionTracking();
  return tracking === undefined ? runMethod(call) : tracking.runWithoutClaim(call);
}

/** Runs although nobody knows whether the claim stands; if it does, it is settled once, by token. */
async function runUnderDoubt(call: Call): Promise<unknown> {
  const { id, token } = call;
  // Over from the start: its outcome is written once and not repeated.
  const claim: Claim = { id, token, inProgressUntilMs: 0, tookOver: true };
  let result: unknown;
  try {
    result = await runWithoutClaim(call);
  } catch (error) {
    if (isRecordableError(error, call)) await record(claim, failureOf(error, call), call);
    else if (!mayHaveCommitted(error)) await release(claim, call);
    throw error;
  }
  if (isRecordable(result, call)) await record(claim, await completionOf(result, call), call);
  else await release(claim, call);
  return result;
}

/** The method succeeded and its writes may have been applied: a freed key would apply them again. */
function mayHaveCommitted(error: unknown): boolean {
  return isIdempotencyCommitError(error) && error.outcome !== 'cancelled';
}
