import { IdempotencyStoreError, type StoreOperation } from '../errors/store-error.js';

/** What a failed request to a back end means for the store's caller. */
export interface RequestFailure {
  readonly reason: string;
  readonly hint?: string;
  readonly retryable: boolean;
  /**
   * Whether the attempt that failed did nothing for sure: the back end refused it, or it was never
   * sent. Says nothing about earlier attempts of the same request.
   */
  readonly refused: boolean;
  /** Whether the client fails so before it sends anything, so that there was no attempt at all. */
  readonly neverSent?: boolean;
}

/** Where a request failed. */
export interface FailureContext {
  readonly operation: StoreOperation;
  readonly table?: string;
  readonly id: string;
  readonly maybeApplied: boolean;
}

/** The failure as the error that a store rejects with. */
export function storeError(
  { reason, hint, retryable }: RequestFailure,
  cause: unknown,
  { operation, table, id, maybeApplied }: FailureContext,
): IdempotencyStoreError {
  return new IdempotencyStoreError(reason, {
    operation,
    retryable,
    maybeApplied,
    id,
    ...(table === undefined ? {} : { table }),
    ...(hint === undefined ? {} : { hint }),
    ...(cause === undefined ? {} : { cause }),
  });
}
