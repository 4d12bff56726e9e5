import {
  IdempotencyRecordError,
  IdempotencyStoreError,
  isIdempotencyRecordError,
  isIdempotencyStoreError,
  type StoreOperation,
} from '../errors/index.js';
import { nameOfThrown } from '../errors/name-of-thrown.js';
import type { Call } from './call.js';

/**
 * Calls a store and turns whatever it does wrong (a synchronous throw, no promise, a rejection with
 * `undefined`) into one rejection; what it resolves or rejects with is passed on.
 */
export async function callStore<T>(operation: () => Promise<T>): Promise<T> {
  const promise: unknown = operation();
  if (typeof (promise as PromiseLike<T> | undefined)?.then !== 'function') {
    throw new TypeError('The store returned no promise');
  }
  return (await promise) as T;
}

/** A store's failure as an error of ours that names the method. Record errors stay what they are. */
export function storeFailure(
  operation: StoreOperation,
  cause: unknown,
  call: Call,
  extra: { readonly result?: unknown; readonly maybeApplied?: boolean } = {},
): IdempotencyStoreError | IdempotencyRecordError {
  const { method, id } = call;
  if (isIdempotencyRecordError(cause)) {
    if ('result' in extra) {
      // Whose method succeeded gets its result, on the error that has a place for it.
      return new IdempotencyStoreError(cause.reason, {
        ...extra,
        operation,
        method,
        id,
        cause,
        retryable: false,
      });
    }
    return new IdempotencyRecordError(cause.reason, { method, id, cause: cause.cause });
  }
  if (isIdempotencyStoreError(cause)) {
    return new IdempotencyStoreError(cause.reason, {
      ...storeDetails(cause),
      ...extra,
      operation,
      method,
      id,
    });
  }
  return new IdempotencyStoreError(reasonOf(cause), {
    ...extra,
    operation,
    method,
    id,
    cause,
    retryable: !isProgrammingError(cause),
  });
}

function storeDetails(error: IdempotencyStoreError) {
  return {
    retryable: error.retryable,
    maybeApplied: error.maybeApplied,
    ...(error.table === undefined ? {} : { table: error.table }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}

/** The name alone: a foreign error's message may quote the request. */
function reasonOf(cause: unknown): string {
  const name = nameOfThrown(cause);
  return isError(cause) ? name : `it rejected with ${cause === null ? 'null' : name}`;
}

/**
 * A bug in a store does not go away by itself. What `fetch` throws when the network fails is a
 * `TypeError` too, with the failure in `cause`; the engine's own errors have none.
 */
function isProgrammingError(cause: unknown): boolean {
  return (
    !isError(cause) ||
    (cause instanceof TypeError && cause.cause === undefined) ||
    cause instanceof RangeError ||
    cause instanceof ReferenceError ||
    cause instanceof SyntaxError
  );
}

/** A revoked proxy throws when it is asked. */
function isError(cause: unknown): cause is Error {
  try {
    return cause instanceof Error;
  } catch {
    return false;
  }
}
