import { IdempotencyError, type IdempotencyErrorDetails, inMethod } from './idempotency-error.js';

/**
 * The call has no usable key. Did the method run? No, and the store was not touched. Retry? Not
 * with the same input: the caller has to send what the key is made of.
 */
export class IdempotencyKeyError extends IdempotencyError {
  override readonly name = 'IdempotencyKeyError';
  override readonly code = 'ERR_IDEMPOTENCY_KEY';
  override readonly statusCode = 400;
  /** What is wrong with the key, without its value. */
  readonly reason: string;
  /**
   * Whether the key is missing (undefined, blank, or the trace of a missing part in a string)
   * rather than unusable: only then does `onMissingKey: 'run'` apply.
   */
  readonly missing: boolean;

  constructor(
    reason: string,
    details: IdempotencyErrorDetails & { readonly missing?: boolean } = {},
  ) {
    super(`${reason}${inMethod(details)}`, details);
    this.reason = reason;
    this.missing = details.missing ?? false;
  }
}
