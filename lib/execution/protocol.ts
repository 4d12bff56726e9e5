import {
  isIdempotencyExpiredClaimError,
  isIdempotencyPayloadMismatchError,
  isIdempotencyStoreError,
} from '../errors/index.js';
import { warnOnce } from '../configuration/process-state.js';
import { decodeRecord } from '../results/decode-record.js';
import { warnWhereReplayDiffers } from '../results/replay-difference.js';
import type { Claim, IdempotencyRecord } from '../store/idempotency-store.js';
import { limitsOf, type Call } from './call.js';
import { claimKey, type Claimed } from './claiming.js';
import {
  claimLost,
  completionOf,
  failureOf,
  isRecordable,
  isRecordableError,
  record,
} from './completion.js';
import { publish } from './events.js';
import type { Executed, InProgress, Replayed } from './outcome.js';
import { startRenewal, type RenewedClaim } from './renewal.js';
import { within } from '../time/clock.js';
import { callStore, storeFailure } from './store-failure.js';

/** What became of a call. Inside the engine it also tells the record's id. */
export type CallOutcome =
  | Executed<unknown>
  | Replayed<unknown>
  | (InProgress & { readonly id: string });

/** A release that takes longer than any store's own timeout goes on without its caller. */
const MAX_RELEASE_MS = 10_000;

/**
 * The protocol: claim, run once, record, replay. It knows the store contract and nothing of
 * decorators or DynamoDB.
 *
 * Two rules hold throughout. Whoever writes after the claim shows its token, so a late owner changes
 * nothing. And once the method has succeeded, nothing here ever frees the key: a record that cannot
 * be written blocks the key until the lease ends, which is a nuisance; a key that is freed after the
 * side effect is a second charge.
 *
 * @throws The method's own error, the same object; or an error of this package.
 */
export async function execute(call: Call): Promise<CallOutcome> {
  let claimed: Claimed;
  try {
    claimed = await claimKey(call);
  } catch (cause) {
    return claimFailed(cause, call);
  }
  switch (claimed.kind) {
    case 'claimed':
      publish(call, { type: 'claimed', takeover: claimed.claim.tookOver });
      return { status: 'executed', result: await runUnder(claimed.claim, call) };
    case 'recorded':
      return replay(claimed.record, call);
    case 'in-progress':
      publish(call, { type: 'in-progress', untilMs: claimed.untilMs });
      return inProgress(claimed.untilMs, call);
  }
}

function inProgress(untilMs: number, call: Call): CallOutcome {
  const retryAfterMs = Math.max(0, Math.ceil(untilMs - call.settings.clock.now()));
  return { status: 'in-progress', until: new Date(untilMs), retryAfterMs, id: call.id };
}

async function runUnder(claim: Claim, call: Call): Promise<unknown> {
  const renewal = call.lease.tiedToDeadline ? undefined : startRenewal(claim, call);
  let result: unknown;
  try {
    result = await call.run();
  } catch (error) {
    const held = (await renewal?.stop()) ?? notRenewed(claim);
    if (!held.lost) await failed(error, held.claim, call);
    throw error;
  }
  const held = (await renewal?.stop()) ?? notRenewed(claim);
  if (held.lost) throw claimLost(result, call);
  return succeeded(result, held.claim, call);
}

function notRenewed(claim: Claim): RenewedClaim {
  return { claim, lost: false };
}

async function succeeded(result: unknown, claim: Claim, call: Call): Promise<unknown> {
  if (!isRecordable(result, call)) {
    await release(claim, call);
    return result;
  }
  const completion = await completionOf(result, call);
  const recording = await record(claim, completion, call);
  switch (recording.kind) {
    case 'recorded':
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
async function failed(error: unknown, claim: Claim, call: Call): Promise<void> {
  if (!isRecordableError(error, call)) {
    await release(claim, call);
    return;
  }
  const recording = await record(claim, failureOf(error, call), call);
  if (recording.kind === 'failed') {
    publish(call, { type: 'completion-failed', error: recording.error });
  }
}

async function release(claim: Pick<Claim, 'id' | 'token'>, call: Call): Promise<void> {
  try {
    const released = callStore(() => call.store.release(claim, limitsOf(call)));
    await within(released, MAX_RELEASE_MS, call.settings.clock);
    publish(call, { type: 'released' });
  } catch (cause) {
    // The key then stays claimed until the lease ends; whatever the caller is about to get says more.
    const error = storeFailure('release', cause, call);
    publish(call, { type: 'store-error', operation: 'release', error });
  }
}

async function replay(recorded: IdempotencyRecord, call: Call): Promise<CallOutcome> {
  const decoded = await decodeRecord(recorded, call.settings.codec, call);
  publish(call, { type: 'replayed', failed: 'error' in decoded });
  if ('error' in decoded) throw decoded.error;
  const completedAt = dateOf(recorded.completedAtMs);
  const result =
    call.onReplay === undefined
      ? decoded.result
      : await call.onReplay(decoded.result, {
          id: call.id,
          completedAt,
          expiresAt: dateOf(recorded.expiresAtMs),
        });
  return { status: 'replayed', result, completedAt };
}

function dateOf(ms: number | undefined): Date | undefined {
  return ms === undefined ? undefined : new Date(ms);
}

/**
 * The claim failed, perhaps after it was applied. It is given back by its token before the caller
 * hears of it, or, failing open, kept so that the run's outcome is recorded under it.
 */
async function claimFailed(cause: unknown, call: Call): Promise<CallOutcome> {
  if (isIdempotencyPayloadMismatchError(cause) || isIdempotencyExpiredClaimError(cause)) {
    throw cause;
  }
  const error = storeFailure('claim', cause, call);
  if (!isIdempotencyStoreError(error)) throw error;
  publish(call, { type: 'store-error', operation: 'claim', error });
  if (call.settings.onStoreUnavailable === 'run' && error.retryable) {
    publish(call, { type: 'unprotected', why: 'store-unavailable' });
    return { status: 'executed', result: await runUnprotected(error.maybeApplied, call) };
  }
  if (error.maybeApplied) await release(call, call);
  throw error;
}

/** Runs although the claim failed; a claim that may stand all the same is settled once, by token. */
async function runUnprotected(maybeClaimed: boolean, call: Call): Promise<unknown> {
  if (!maybeClaimed) return call.run();
  const { id, token } = call;
  // Lapsed from the start: its outcome is written once and not repeated.
  const claim: Claim = { id, token, inProgressUntilMs: 0, tookOver: true };
  let result: unknown;
  try {
    result = await call.run();
  } catch (error) {
    await failed(error, claim, call);
    throw error;
  }
  if (isRecordable(result, call)) await record(claim, await completionOf(result, call), call);
  else await release(claim, call);
  return result;
}
