import {
  hide,
  IdempotencyError,
  type IdempotencyErrorDetails,
  inMethod,
} from './idempotency-error.js';

/**
 * The claim lapsed while the method ran and another call took the key over. Did the method run?
 * Yes, and it succeeded where {@link result} is present; the successor may run it again. Retry?
 * A retry gets what the successor records.
 *
 * Stores throw it from `renew`, `complete` and `commit`; the engine adds the method and the result.
 */
export class IdempotencyClaimLostError extends IdempotencyError {
  override readonly name = 'IdempotencyClaimLostError';
  override readonly code = 'ERR_IDEMPOTENCY_CLAIM_LOST';
  /** What the method returned although the claim was lost. Not enumerable. */
  declare readonly result?: unknown;

  constructor(details: IdempotencyErrorDetails & { readonly result?: unknown } = {}) {
    super(
      `The claim lapsed while the method ran, and another call has the key now${inMethod(details)}`,
      details,
    );
    if ('result' in details) hide(this, 'result', details.result);
  }
}
