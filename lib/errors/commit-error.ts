import {
  hide,
  IdempotencyError,
  type IdempotencyErrorDetails,
  inMethod,
} from './idempotency-error.js';

/** What is known of a transaction that failed. */
export type CommitOutcome = 'cancelled' | 'unknown';

/** What a store, and the engine, say of a failed commit. */
export interface CommitErrorDetails extends IdempotencyErrorDetails {
  readonly outcome: CommitOutcome;
  /** One per item of the transaction as the caller gave them, where the store says why. */
  readonly reasons?: readonly string[];
  /** What the method returned. */
  readonly result?: unknown;
}

/**
 * The writes that the method deferred with `commitWith` could not be committed. Did the method run?
 * Yes. Did the writes apply? `cancelled`: none of them, and the key is free again. `unknown`: perhaps
 * all of them; the key stays claimed until the lease ends, and then a retry runs. Retry? Yes for
 * `unknown`; for `cancelled` where {@link reasons} say that it may succeed.
 */
export class IdempotencyCommitError extends IdempotencyError {
  override readonly name = 'IdempotencyCommitError';
  override readonly code = 'ERR_IDEMPOTENCY_COMMIT';
  /** `cancelled`: nothing was applied. `unknown`: perhaps all of it. */
  readonly outcome: CommitOutcome;
  /** Codes such as `ConditionalCheckFailed` and `None`, one per deferred write, in order. */
  readonly reasons: readonly string[];
  /** What the method returned although nothing was committed. Not enumerable. */
  declare readonly result?: unknown;

  constructor(reason: string, details: CommitErrorDetails) {
    const what =
      details.outcome === 'cancelled'
        ? 'none of the deferred writes was applied'
        : 'whether the deferred writes were applied is unknown';
    super(`The commit failed: ${reason}; ${what}${inMethod(details)}`, details);
    this.outcome = details.outcome;
    this.reasons = details.reasons ?? [];
    if ('result' in details) hide(this, 'result', details.result);
  }
}
