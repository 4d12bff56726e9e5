import {
  IdempotencyClaimLostError,
  isIdempotencyClaimLostError,
  isIdempotencyError,
  isIdempotencyStoreError,
} from '../errors/index.js';
import type { IdempotencyRecordError, IdempotencyStoreError } from '../errors/index.js';
import { encodeResult } from '../results/encode-result.js';
import { recordedError } from '../results/recorded-error.js';
import { RecordStatus, type Claim, type Completion } from '../store/idempotency-store.js';
import { pause } from '../time/clock.js';
import { limitsOf, type Call } from './call.js';
import { publish } from './events.js';
import { callStore, storeFailure } from './store-failure.js';

/** A completion is repeated until the claim's end, but no longer than this. */
const MAX_COMPLETION_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/** What became of recording an outcome. */
export type Recording =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'failed'; readonly error: IdempotencyStoreError | IdempotencyRecordError };

/** The completion of a method that succeeded; encoding cannot fail, at worst the result is omitted. */
export async function completionOf(result: unknown, call: Call): Promise<Completion> {
  const { ttlMs, codec, clock } = call.settings;
  const encoded = await encodeResult(result, codec);
  return { status: RecordStatus.COMPLETED, nowMs: clock.now(), ttlMs, ...encoded };
}

/** The completion of a method that threw an error worth recording. */
export function failureOf(error: unknown, call: Call): Completion {
  const { ttlMs, clock } = call.settings;
  return { status: RecordStatus.FAILED, nowMs: clock.now(), ttlMs, error: recordedError(error) };
}

/**
 * Records an outcome, repeatedly until it is, the claim ends, or the store says that repeating is no
 * use. The completion is the same each time, so that one whose reply was lost is not changed.
 */
export async function record(claim: Claim, completion: Completion, call: Call): Promise<Recording> {
  const { clock } = call.settings;
  const giveUpAtMs = Math.min(claim.inProgressUntilMs, clock.now() + MAX_COMPLETION_MS);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await callStore(() => call.store.complete(claim, completion, limitsOf(call)));
      publish(call, {
        type: 'completed',
        failed: completion.status === RecordStatus.FAILED,
        resultOmitted: completion.resultOmitted !== undefined,
      });
      return { kind: 'recorded' };
    } catch (cause) {
      if (isIdempotencyClaimLostError(cause)) {
        publish(call, { type: 'claim-lost' });
        return { kind: 'lost' };
      }
      const error = storeFailure('complete', cause, call);
      publish(call, { type: 'store-error', operation: 'complete', error });
      const retryable = isIdempotencyStoreError(error) && error.retryable;
      if (!retryable || clock.now() + pauseMs >= giveUpAtMs) return { kind: 'failed', error };
      await pause(clock, pauseMs);
    }
  }
}

/** The error of a call whose method succeeded after its claim was taken over. */
export function claimLost(result: unknown, call: Call): IdempotencyClaimLostError {
  return new IdempotencyClaimLostError({ method: call.method, id: call.id, result });
}

/** Whether a result is recorded: only a plain `false` of the predicate says no. */
export function isRecordable(result: unknown, call: Call): boolean {
  return ask(call.settings.recordResultIf, result) !== false;
}

/** Whether an error is recorded: not without a predicate, and never one of ours. */
export function isRecordableError(error: unknown, call: Call): boolean {
  const { recordErrorIf } = call.settings;
  if (recordErrorIf === undefined || isIdempotencyError(error)) return false;
  return ask(recordErrorIf, error) !== false;
}

/** A predicate that throws has not said that the key may be freed. */
function ask<T>(predicate: ((value: T) => unknown) | undefined, value: T): unknown {
  if (predicate === undefined) return undefined;
  try {
    return predicate(value);
  } catch {
    return undefined;
  }
}
