import { types } from 'node:util';
import { decodeRecord } from '../results/decode-record.js';
import type { IdempotencyRecord } from '../store/idempotency-store.js';
import { keyOf, type Call } from './call.js';
import { isObserved, publish } from './events.js';
import type { Executed, InProgress, Replayed } from './outcome.js';

/** What became of a call. Inside the engine it also tells the record's id. */
export type CallOutcome =
  Executed<unknown> | Replayed<unknown> | (InProgress & { readonly id: string });

/**
 * Answers a call with what an earlier one recorded.
 *
 * @throws The recorded error, where it is one; IdempotencyResultUnavailableError or
 * IdempotencyRecordError where the result was not kept or does not decode; whatever `onReplay` throws.
 */
export async function replay(recorded: IdempotencyRecord, call: Call): Promise<CallOutcome> {
  const decoding = decodeRecord(recorded, call.settings.codec, call);
  const decoded = types.isPromise(decoding) ? await decoding : decoding;
  if (isObserved()) publish(call, { type: 'replayed', failed: 'error' in decoded });
  if ('error' in decoded) throw decoded.error;
  const completedAt = dateOf(recorded.completedAtMs);
  const result =
    call.onReplay === undefined
      ? decoded.result
      : await call.onReplay(decoded.result, {
          id: call.id,
          key: keyOf(call),
          completedAt,
          expiresAt: dateOf(recorded.expiresAtMs),
        });
  return { status: 'replayed', result, completedAt };
}

/** Answers a call with another one that is running until `untilMs` at the latest. */
export function inProgress(untilMs: number, call: Call): CallOutcome {
  if (isObserved()) publish(call, { type: 'in-progress', untilMs });
  const retryAfterMs = Math.max(0, Math.ceil(untilMs - call.settings.clock.now()));
  return { status: 'in-progress', until: new Date(untilMs), retryAfterMs, id: call.id };
}

function dateOf(ms: number | undefined): Date | undefined {
  return typeof ms === 'number' ? new Date(ms) : undefined;
}
