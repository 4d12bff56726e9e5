import type { ResultOmittedReason } from '../store/idempotency-store.js';
import { IdempotencyError, type IdempotencyErrorDetails, ofMethod } from './idempotency-error.js';

/**
 * An earlier call succeeded, but its result was not kept. Did the method run? Yes, earlier, and it
 * will not run again for this key until its record expires. Retry? No: it ends the same way.
 */
export class IdempotencyResultUnavailableError extends IdempotencyError {
  override readonly name = 'IdempotencyResultUnavailableError';
  override readonly code = 'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE';
  /** When the earlier call completed, where the record says so. */
  declare readonly completedAt?: Date;
  /** Why the result was not kept. */
  readonly why: ResultOmittedReason;

  constructor(
    why: ResultOmittedReason,
    completedAtMs: number | undefined,
    details: IdempotencyErrorDetails = {},
  ) {
    const because =
      why === 'too-large' ? 'it was larger than the store takes' : 'the codec could not encode it';
    super(
      `An earlier call${ofMethod(details)} succeeded, but its result was not kept: ${because}`,
      details,
    );
    this.why = why;
    // A record of somebody else's store may hold anything.
    if (typeof completedAtMs === 'number') this.completedAt = new Date(completedAtMs);
  }
}
