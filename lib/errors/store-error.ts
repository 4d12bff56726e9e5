import {
  hide,
  IdempotencyError,
  type IdempotencyErrorDetails,
  inMethod,
} from './idempotency-error.js';

/** The operations of a store, as errors and events name them. */
export type StoreOperation =
  'claim' | 'renew' | 'complete' | 'release' | 'commit' | 'get' | 'forget';

/** What a store says of its failure. */
export interface StoreErrorDetails extends IdempotencyErrorDetails {
  readonly operation: StoreOperation;
  /** Whether the same request may succeed later (an outage, throttling) without anybody's help. */
  readonly retryable: boolean;
  /** Whether the store may have applied the request although it failed. Default `true`. */
  readonly maybeApplied?: boolean | undefined;
  /** Where the record is kept, for messages: a table's name. */
  readonly table?: string | undefined;
  /** What to do about it, in one sentence. */
  readonly hint?: string | undefined;
  /** What the method returned, where it had succeeded. */
  readonly result?: unknown;
}

/**
 * The store failed. Did the method run? See {@link operation}: after a failed `claim` or `get` it
 * did not; after a failed `complete` it ran and succeeded ({@link result} is what it returned).
 * Retry? If {@link retryable}; otherwise {@link hint} says what to mend first.
 */
export class IdempotencyStoreError extends IdempotencyError {
  override readonly name = 'IdempotencyStoreError';
  override readonly code = 'ERR_IDEMPOTENCY_STORE';
  override readonly statusCode = 503;
  /** What went wrong, without what follows from it. */
  readonly reason: string;
  /** What the store was asked to do. */
  readonly operation: StoreOperation;
  /** Whether the same request may succeed later (an outage, throttling) without anybody's help. */
  readonly retryable: boolean;
  /** Whether the store may have applied the request although it failed. */
  readonly maybeApplied: boolean;
  /** Where the record is kept, as messages name it: a table's name. */
  declare readonly table?: string;
  /** What to do about it, in one sentence. */
  declare readonly hint?: string;
  /** What the method returned although its record could not be completed. Not enumerable. */
  declare readonly result?: unknown;

  constructor(reason: string, details: StoreErrorDetails) {
    super(storeMessage(reason, details), details);
    this.reason = reason;
    this.operation = details.operation;
    this.retryable = details.retryable;
    this.maybeApplied = details.maybeApplied ?? true;
    if (details.table !== undefined) this.table = details.table;
    if (details.hint !== undefined) this.hint = details.hint;
    if ('result' in details) hide(this, 'result', details.result);
  }
}

function storeMessage(reason: string, details: StoreErrorDetails): string {
  const table = details.table === undefined ? '' : ` on table ${details.table}`;
  const hint = details.hint === undefined ? '' : `. ${details.hint}`;
  const ran =
    details.operation === 'complete'
      ? '; the method ran and succeeded, its result is not recorded'
      : details.operation === 'claim'
        ? '; the method did not run'
        : '';
  return `The idempotency store's ${details.operation}${table} failed: ${reason}${ran}${inMethod(details)}${hint}`;
}
