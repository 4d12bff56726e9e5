import { IdempotencyError, type IdempotencyErrorDetails, ofMethod } from './idempotency-error.js';

/**
 * Another call with this key is running. Did the method run? Not for this call. Retry? Yes, after
 * {@link retryAfterMs}: by then the other call has recorded its result or may be taken over.
 */
export class IdempotencyInProgressError extends IdempotencyError {
  override readonly name = 'IdempotencyInProgressError';
  override readonly code = 'ERR_IDEMPOTENCY_IN_PROGRESS';
  override readonly statusCode = 409;
  /** The moment after which another call may take over if the running one has not finished. */
  readonly until: Date;
  /** Milliseconds from when the error was made to {@link until}; never negative. */
  readonly retryAfterMs: number;

  constructor(until: Date, retryAfterMs: number, details: IdempotencyErrorDetails = {}) {
    super(
      `Another call${ofMethod(details)} with this key is in progress; retry in ${String(retryAfterMs)} ms at the latest`,
      details,
    );
    this.until = until;
    this.retryAfterMs = retryAfterMs;
  }
}
