import {
  IdempotencyRecordError,
  IdempotencyStoreError,
  isIdempotencyRecordError,
  isIdempotencyStoreError,
  type StoreOperation,
} from '../errors/index.js';
import { nameOfThrown } from '../errors/name-of-thrown.js';
import type { Call } from './call.js';
import { publish } from './events.js';

/**
 * The promise of a store's operation, made sure to be one: another thenable is asked once, and by the
 * language's own rules.
 *
 * @throws TypeError for anything else. A store that breaks its contract may throw by itself: both
 * belong into an async function.
 */
export function promiseOf<T>(returned: Promise<T>): Promise<T> {
  if (typeof (returned as Promise<T> | undefined)?.then === 'function') {
    return Promise.resolve(returned);
  }
  throw new TypeError('The store returned no promise');
}

/** {@link storeFailure}, and tells who listens. */
export function reportFailure(
  operation: StoreOperation,
  cause: unknown,
  call: Call,
): ReturnType<typeof storeFailure> {
  const error = storeFailure(operation, cause, call);
  publish(call, { type: 'store-error', operation, error });
  return error;
}

/** A store's failure as an error of ours that names the method. Record errors stay what they are. */
export function storeFailure(
  operation: StoreOperation,
  cause: unknown,
  call: Call,
  extra: { readonly result?: unknown; readonly maybeApplied?: boolean } = {},
): IdempotencyStoreError | IdempotencyRecordError {
  const details = { ...extra, operation, method: call.method, id: call.id };
  if (isIdempotencyRecordError(cause)) {
    // Whose method succeeded gets its result, on the error that has a place for it.
    return 'result' in extra
      ? new IdempotencyStoreError(cause.reason, { ...details, cause, retryable: false })
      : new IdempotencyRecordError(cause.reason, { ...details, cause: cause.cause });
  }
  if (isIdempotencyStoreError(cause)) {
    const { reason, retryable, maybeApplied, table, hint } = cause;
    const known = { retryable, maybeApplied, table, hint, cause: cause.cause };
    return new IdempotencyStoreError(reason, { ...known, ...details });
  }
  const retryable = !isProgrammingError(cause);
  return new IdempotencyStoreError(reasonOf(cause), { ...details, cause, retryable });
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
