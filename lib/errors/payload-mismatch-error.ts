import type { IdempotencyRecord } from '../store/idempotency-store.js';
import {
  hide,
  IdempotencyError,
  type IdempotencyErrorDetails,
  inMethod,
} from './idempotency-error.js';

/**
 * The key was used before with another payload (its `fingerprint` differs). Did the method run?
 * Not for this call. Retry? No: the caller reuses a key for something else.
 */
export class IdempotencyPayloadMismatchError extends IdempotencyError {
  override readonly name = 'IdempotencyPayloadMismatchError';
  override readonly code = 'ERR_IDEMPOTENCY_PAYLOAD_MISMATCH';
  override readonly statusCode = 422;
  /** The record of the earlier call. Not enumerable. */
  declare readonly record: IdempotencyRecord;

  constructor(record: IdempotencyRecord, details: IdempotencyErrorDetails = {}) {
    super(`This key was used before with a different payload${inMethod(details)}`, details);
    hide(this, 'record', record);
  }
}
