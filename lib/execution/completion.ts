import { types } from 'node:util';
import {
  IdempotencyClaimLostError,
  isIdempotencyClaimLostError,
  isIdempotencyError,
} from '../errors/index.js';
import { encodeResult, type EncodedCompletion } from '../results/encode-result.js';
import { recordedError } from '../results/recorded-error.js';
import { RecordStatus, type Claim, type Completion } from '../store/idempotency-store.js';
import type { Call } from './call.js';
import { isObserved, publish } from './events.js';
import { repeatWrite } from './repeat-write.js';

/** What became of recording an outcome. */
export type Recording =
  Recorded | { readonly kind: 'lost' } | { readonly kind: 'failed'; readonly error: Error };

export interface Recorded {
  readonly kind: 'recorded';
}

const RECORDED: Recorded = { kind: 'recorded' };

/** The completion of a method that succeeded; encoding cannot fail, at worst the result is omitted. */
export function completionOf(result: unknown, call: Call): Completion | Promise<Completion> {
  const encoded = encodeResult(result, call.settings.codec);
  return types.isPromise(encoded)
    ? encoded.then((later) => completionWith(later, call))
    : completionWith(encoded, call);
}

function completionWith(encoded: EncodedCompletion, call: Call): Completion {
  const { ttlMs, clock } = call.settings;
  return { status: RecordStatus.COMPLETED, nowMs: clock.now(), ttlMs, ...encoded };
}

/** The completion of a method that threw an error worth recording. */
export function failureOf(error: unknown, call: Call): Completion {
  const { ttlMs, clock } = call.settings;
  return { status: RecordStatus.FAILED, nowMs: clock.now(), ttlMs, error: recordedError(error) };
}

/** Records an outcome. */
export async function record(claim: Claim, completion: Completion, call: Call): Promise<Recording> {
  const failure = await repeatWrite('complete', claim.inProgressUntilMs, call, (limits) =>
    call.store.complete(claim, completion, limits),
  );
  if (failure === undefined) {
    if (isObserved()) {
      publish(call, {
        type: 'completed',
        failed: completion.status === RecordStatus.FAILED,
        resultOmitted: completion.resultOmitted !== undefined,
      });
    }
    return RECORDED;
  }
  if (isIdempotencyClaimLostError(failure.error)) {
    publish(call, { type: 'claim-lost' });
    return { kind: 'lost' };
  }
  return { kind: 'failed', error: failure.error };
}

/** The error of a call whose method succeeded after its claim was taken over. */
export function claimLost(result: unknown, call: Call): IdempotencyClaimLostError {
  return new IdempotencyClaimLostError({ method: call.method, id: call.id, result });
}

/** Whether a result is recorded: only a plain `false` of the predicate says no. */
export function isRecordable(result: unknown, call: Pick<Call, 'settings'>): boolean {
  return ask(call.settings.recordResultIf, result) !== false;
}

/** Whether an error is recorded: not without a predicate, and never one of ours. */
export function isRecordableError(error: unknown, call: Pick<Call, 'settings'>): boolean {
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
