import { types } from 'node:util';
import { warnOnce } from '../configuration/warnings.js';
import type { Claim } from '../store/idempotency-store.js';
import type { Call } from './call.js';
import {
  claimLost,
  completionOf,
  failureOf,
  isRecordable,
  isRecordableError,
  record,
} from './completion.js';
import { isObserved, publish } from './events.js';
import { executionTracking, type DeferredCommit } from './execution-tracking.js';
import type { Flight } from './flight.js';
import { runMethod } from './own-run.js';
import { release } from './release.js';
import { startRenewal, type RenewedClaim } from './renewal.js';
import { warnWhereReplayDiffers } from './replay-warning.js';
import { storeFailure } from './store-failure.js';

/**
 * Runs the method under a claim and records its outcome, or frees the key.
 *
 * Once the method has succeeded nothing here ever frees the key: a record that cannot be written
 * blocks it until the lease ends, which is a nuisance; a key that is freed after the side effect is
 * a second charge.
 */
export async function runClaimed(
  claim: Claim,
  call: Call,
  flight: Flight | undefined,
): Promise<unknown> {
  if (isObserved()) publish(call, { type: 'claimed', takeover: claim.tookOver });
  const tracked = executionTracking()?.track(call, claim);
  const renewal = call.lease.tiedToDeadline
    ? undefined
    : startRenewal(claim, call, tracked?.execution);
  try {
    let result: unknown;
    try {
      const run = () => runMethod(call);
      result = await (tracked === undefined ? run() : tracked.enter(run));
    } catch (error) {
      const held = renewal === undefined ? notRenewed(claim) : await renewal.stop();
      if (!held.lost) await settleFailure(error, held.claim, call, flight);
      throw error;
    }
    const held = renewal === undefined ? notRenewed(claim) : await renewal.stop();
    const deferred = tracked?.close();
    if (held.lost) throw deferred?.lost(result) ?? claimLost(result, call);
    return await settleSuccess(result, deferred, held.claim, call, flight);
  } finally {
    tracked?.end();
    // Whoever joined and has not been given a record asks the store.
    flight?.land(undefined);
  }
}

function notRenewed(claim: Claim): RenewedClaim {
  return { claim, lost: false };
}

async function settleSuccess(
  result: unknown,
  deferred: DeferredCommit | undefined,
  claim: Claim,
  call: Call,
  flight: Flight | undefined,
): Promise<unknown> {
  if (!isRecordable(result, call)) {
    await release(claim, call);
    return result;
  }
  const completing = completionOf(result, call);
  const completion = types.isPromise(completing) ? await completing : completing;
  const recording =
    deferred === undefined
      ? await record(claim, completion, call)
      : await deferred.commit(result, completion, claim);
  switch (recording.kind) {
    case 'recorded':
      flight?.landRecorded(completion);
      const warning = warnWhereReplayDiffers(result, completion, call.settings.codec, call.method);
      if (warning !== undefined) await warning;
      return result;
    case 'lost':
      throw claimLost(result, call);
    case 'failed':
      publish(call, { type: 'completion-failed', error: recording.error });
      if (call.settings.onCompletionFailure === 'throw') {
        throw storeFailure('complete', recording.error, call, { result });
      }
      warnOnce(
        `completion-failed:${call.method}`,
        'MAYFLY_COMPLETION_FAILED',
        `${call.method} succeeded but its result could not be recorded; when its claim has lapsed a retry runs it again. ${recording.error.message}`,
      );
      return result;
  }
}

/** Frees the key, or records the error; the method's own error stays what the caller gets. */
async function settleFailure(
  error: unknown,
  claim: Claim,
  call: Call,
  flight: Flight | undefined,
): Promise<void> {
  if (!isRecordableError(error, call)) {
    await release(claim, call);
    return;
  }
  const completion = failureOf(error, call);
  const recording = await record(claim, completion, call);
  if (recording.kind === 'recorded') flight?.landRecorded(completion);
  if (recording.kind === 'failed') {
    publish(call, { type: 'completion-failed', error: recording.error });
  }
}
