import { warnOnce } from '../configuration/warnings.js';
import type { Claim, TransactWrite } from '../store/idempotency-store.js';
import type { Call } from './call.js';
import { commitLost, commitOutcome } from './commit.js';
import {
  claimLost,
  completionOf,
  failureOf,
  isRecordable,
  isRecordableError,
  record,
} from './completion.js';
import { Execution } from './current-execution.js';
import { DeferredWrites } from './deferred-writes.js';
import { publish } from './events.js';
import {
  areExecutionsTracked,
  runInScope,
  runningScope,
  type ExecutionScope,
} from './execution-scope.js';
import type { Flight } from './flight.js';
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
export async function runClaimed(claim: Claim, call: Call, flight: Flight): Promise<unknown> {
  publish(call, { type: 'claimed', takeover: claim.tookOver });
  const scope = areExecutionsTracked() ? claimedScope(claim, call) : undefined;
  const renewal = call.lease.tiedToDeadline
    ? undefined
    : startRenewal(claim, call, scope?.execution);
  try {
    let result: unknown;
    try {
      result = await runInScope(scope, call.run);
    } catch (error) {
      const held = (await renewal?.stop()) ?? notRenewed(claim);
      if (!held.lost) await settleFailure(error, held.claim, call, flight);
      throw error;
    }
    const held = (await renewal?.stop()) ?? notRenewed(claim);
    const writes = scope?.writes.close() ?? [];
    if (held.lost) throw lost(result, writes, call);
    return await settleSuccess(result, writes, held.claim, call, flight);
  } finally {
    scope?.writes.close();
    scope?.execution.end();
    // Whoever joined and has not been given a record asks the store.
    flight.land(undefined);
  }
}

function claimedScope(claim: Claim, call: Call): ExecutionScope & { execution: Execution } {
  return {
    call,
    execution: new Execution(call, claim),
    writes: new DeferredWrites(call.method, () => call.store),
    outer: runningScope(),
  };
}

/** A late owner's writes are dropped with its result. */
function lost(result: unknown, writes: readonly TransactWrite[], call: Call): Error {
  return writes.length === 0 ? claimLost(result, call) : commitLost(result, call);
}

function notRenewed(claim: Claim): RenewedClaim {
  return { claim, lost: false };
}

async function settleSuccess(
  result: unknown,
  writes: readonly TransactWrite[],
  claim: Claim,
  call: Call,
  flight: Flight,
): Promise<unknown> {
  if (!isRecordable(result, call)) {
    await release(claim, call);
    return result;
  }
  if (writes.length > 0) {
    const completion = await commitOutcome(result, writes, claim, call, flight);
    await warnWhereReplayDiffers(result, completion, call.settings.codec, call.method);
    return result;
  }
  const completion = await completionOf(result, call);
  const recording = await record(claim, completion, call);
  switch (recording.kind) {
    case 'recorded':
      flight.landRecorded(completion);
      await warnWhereReplayDiffers(result, completion, call.settings.codec, call.method);
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
  flight: Flight,
): Promise<void> {
  if (!isRecordableError(error, call)) {
    await release(claim, call);
    return;
  }
  const completion = failureOf(error, call);
  const recording = await record(claim, completion, call);
  if (recording.kind === 'recorded') flight.landRecorded(completion);
  if (recording.kind === 'failed') {
    publish(call, { type: 'completion-failed', error: recording.error });
  }
}
