import { IdempotencyCommitError } from '../../errors/commit-error.js';
import { IdempotencyStoreError } from '../../errors/store-error.js';

/*
 * What a failed TransactWriteItems means. Source of the codes: Amazon DynamoDB API Reference,
 * TransactionCanceledException. The items that come back with them, the record's result among them,
 * never leave this file's callers: errors get logged.
 */

export const CONDITION_FAILED = 'ConditionalCheckFailed';
export const VALIDATION_FAILED = 'ValidationError';
const NO_REASON = 'None';

/** Reasons that go away by themselves. */
const PASSING: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'RequestLimitExceeded',
]);

const ACTIONS =
  "Allow dynamodb:GetItem and dynamodb:UpdateItem on the records' table, and on the tables of the deferred writes what each needs: dynamodb:PutItem, UpdateItem, DeleteItem, or ConditionCheckItem for a ConditionCheck";

/** Where a transaction's failure means something else than a single write's. */
const byName: Readonly<Record<string, { readonly reason: string; readonly hint: string }>> = {
  AccessDeniedException: { reason: 'access is denied', hint: ACTIONS },
  ResourceNotFoundException: {
    reason: 'a table of the transaction does not exist',
    hint: 'Look at the table names of the deferred writes too: all tables have to be in one account and Region',
  },
  ValidationException: {
    reason: 'DynamoDB refuses the transaction as invalid (ValidationException)',
    hint: 'Look at the deferred writes: attribute values in the form { S: … }, keys that fit their tables, no two on one item, 4 MB in all',
  },
  SerializationException: {
    reason: 'DynamoDB cannot read the transaction (SerializationException)',
    hint: 'The deferred writes need attribute values in the form { S: … }, as marshall makes them',
  },
  UnknownOperationException: {
    reason: 'the engine knows no transactions',
    hint: 'DynamoDB and DynamoDB Local do; dynalite does not: use MemoryStore({ transact }) where it is all there is',
  },
};

/** One item's part in a cancelled transaction. */
export interface CancellationReason {
  readonly code: string;
  readonly item: unknown;
}

/** Why a transaction was cancelled: nothing of it was applied. */
export interface Cancellation {
  /** One per item of the transaction, in order; empty where the service gave none. */
  readonly reasons: readonly CancellationReason[];
  readonly metadata: unknown;
}

/** Reads an error as the SDK throws it; `undefined` where it is no cancellation. */
export function cancellationOf(thrown: unknown): Cancellation | undefined {
  const error = thrown as
    | {
        readonly name?: unknown;
        readonly message?: unknown;
        readonly CancellationReasons?: unknown;
        readonly $metadata?: unknown;
      }
    | null
    | undefined;
  if (error?.name !== 'TransactionCanceledException') return undefined;
  const given = error.CancellationReasons;
  const reasons = Array.isArray(given)
    ? given.map((reason: { Code?: unknown; Item?: unknown } | null) => ({
        code: typeof reason?.Code === 'string' ? reason.Code : NO_REASON,
        item: reason?.Item ?? undefined,
      }))
    : codesIn(error.message).map((code) => ({ code, item: undefined }));
  return { reasons, metadata: error.$metadata };
}

/** The message ends in the codes too: `… specific reasons [None, ConditionalCheckFailed]`. */
function codesIn(message: unknown): readonly string[] {
  const list = typeof message === 'string' ? /\[([\w, ]+)\]$/.exec(message)?.[1] : undefined;
  return list === undefined ? [] : list.split(',').map((code) => code.trim());
}

/** Whether the transaction as a whole is larger than the service takes. */
export function isTransactionTooLarge(thrown: unknown): boolean {
  const { name, message } = (thrown ?? {}) as {
    readonly name?: unknown;
    readonly message?: unknown;
  };
  return (
    name === 'ValidationException' &&
    typeof message === 'string' &&
    /item size|aggregate|4 ?MB|transaction request size/i.test(message)
  );
}

/**
 * A cancelled transaction, as an error for the engine. What only time can mend (somebody else is
 * working on the same items, throttling) is a retryable store error; what a write of the caller's ran
 * into is final.
 *
 * @param recordId The id whose record is the first item; absent where the caller's writes are alone.
 */
export function refusedWrites(
  cancellation: Cancellation,
  failure: IdempotencyStoreError,
  recordId: string | undefined,
): IdempotencyCommitError | IdempotencyStoreError {
  const codes = cancellation.reasons.map(({ code }) => code);
  const own = recordId === undefined ? codes : codes.slice(1);
  const cause = withoutItems(cancellation, codes);
  const denied = codes.some((code) => code.startsWith('AccessDenied'));
  if (!denied && own.some((code) => code !== NO_REASON && !PASSING.has(code))) {
    return new IdempotencyCommitError('the service refused a deferred write', {
      // Unfenced writes may yet arrive with an earlier attempt that nobody has heard of since.
      outcome: recordId === undefined && failure.maybeApplied ? 'unknown' : 'cancelled',
      reasons: own,
      cause,
      ...(recordId === undefined ? {} : { id: recordId }),
    });
  }
  const passing = codes.find((code) => PASSING.has(code));
  const blocking = codes.find((code) => code !== NO_REASON) ?? 'TransactionCanceledException';
  return storeFailure(failure, {
    reason: denied
      ? 'access is denied'
      : passing === 'TransactionConflict'
        ? 'another write to the same items was going on'
        : `the transaction was cancelled (${blocking})`,
    hint: denied ? ACTIONS : undefined,
    // Our own record refused under our own token is nothing final: the next attempt looks again.
    retryable: !denied && (passing !== undefined || blocking === CONDITION_FAILED),
    cause,
  });
}

/** A transaction that failed without having been cancelled, in words that fit. */
export function transactionFailure(failure: IdempotencyStoreError): IdempotencyStoreError {
  const name = (failure.cause as { readonly name?: unknown } | null | undefined)?.name;
  const words = typeof name === 'string' && Object.hasOwn(byName, name) ? byName[name] : undefined;
  if (words === undefined) return failure;
  return storeFailure(failure, { ...words, retryable: failure.retryable, cause: failure.cause });
}

function storeFailure(
  { operation, id, table, maybeApplied }: IdempotencyStoreError,
  details: {
    readonly reason: string;
    readonly hint: string | undefined;
    readonly retryable: boolean;
    readonly cause: unknown;
  },
): IdempotencyStoreError {
  const { reason, hint, retryable, cause } = details;
  return new IdempotencyStoreError(reason, {
    operation,
    retryable,
    maybeApplied,
    cause,
    ...(id === undefined ? {} : { id }),
    ...(table === undefined ? {} : { table }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What is worth keeping of the SDK's error: codes, and the request's id for AWS's support. */
function withoutItems({ metadata }: Cancellation, codes: readonly string[]): Error {
  const error = new Error(`Transaction cancelled [${codes.join(', ')}]`);
  return Object.assign(error, {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code) => ({ Code })),
    $metadata: metadata,
  });
}
