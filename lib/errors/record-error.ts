import { IdempotencyError, type IdempotencyErrorDetails, inMethod } from './idempotency-error.js';

/**
 * The stored record cannot be understood: an unknown version or status, a wrong type, a result that
 * does not decode. Did the method run? Not for this call; the record is left as it is. Retry? Not
 * before somebody has looked at the record.
 */
export class IdempotencyRecordError extends IdempotencyError {
  override readonly name = 'IdempotencyRecordError';
  override readonly code = 'ERR_IDEMPOTENCY_RECORD';
  /** What is wrong with the record, without its contents. */
  readonly reason: string;

  constructor(reason: string, details: IdempotencyErrorDetails = {}) {
    super(`The stored record cannot be used: ${reason}${inMethod(details)}`, details);
    this.reason = reason;
  }
}
