import type { IdempotencyRecord } from '../store/idempotency-store.js';
import {
  hide,
  IdempotencyError,
  type IdempotencyErrorDetails,
  ofMethod,
} from './idempotency-error.js';

/**
 * An earlier call claimed the key and ended without recording anything, and the method asks never
 * to run again on its own then (`onExpiredClaim: 'reject'`). Did the method run? Perhaps, earlier.
 * Retry? No: somebody looks at what happened and calls `store.forget(id)`.
 */
export class IdempotencyExpiredClaimError extends IdempotencyError {
  override readonly name = 'IdempotencyExpiredClaimError';
  override readonly code = 'ERR_IDEMPOTENCY_EXPIRED_CLAIM';
  override readonly statusCode = 409;
  /** The abandoned claim. Not enumerable. */
  declare readonly record: IdempotencyRecord;

  constructor(record: IdempotencyRecord, details: IdempotencyErrorDetails = {}) {
    super(
      `An earlier call${ofMethod(details)} ended without recording a result; whether it took effect is unknown. Find out, then remove its record with store.forget(error.id)`,
      details,
    );
    hide(this, 'record', record);
  }
}
