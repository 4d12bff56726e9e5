/** Stable identifiers of the errors: what to match on, since they survive two package copies. */
export type IdempotencyErrorCode =
  | 'ERR_IDEMPOTENCY_IN_PROGRESS'
  | 'ERR_IDEMPOTENCY_KEY'
  | 'ERR_IDEMPOTENCY_PAYLOAD_MISMATCH'
  | 'ERR_IDEMPOTENCY_CLAIM_LOST'
  | 'ERR_IDEMPOTENCY_EXPIRED_CLAIM'
  | 'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE'
  | 'ERR_IDEMPOTENCY_RECORD'
  | 'ERR_IDEMPOTENCY_COMMIT'
  | 'ERR_IDEMPOTENCY_STORE';

/** Where an error happened and what caused it. */
export interface IdempotencyErrorDetails {
  /** The protected method, as `Class.method`. */
  readonly method?: string | undefined;
  /** The record's id. Kept out of messages and logs: see {@link IdempotencyError.id}. */
  readonly id?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Base of every error of this package. The method's own errors are never wrapped in one.
 *
 * Lambda's runtime logs every enumerable property of an error, so ids, records and results are
 * non-enumerable here, and no message contains a key, a payload or a result.
 */
export abstract class IdempotencyError extends Error {
  abstract readonly code: IdempotencyErrorCode;
  /** The HTTP status that fits, where one does; frameworks such as Express and Middy read it. */
  declare readonly statusCode?: number;
  /** The protected method, as `Class.method`, where it is known. */
  declare readonly method?: string;
  /** The record's id, as `store.get` and `store.forget` take it. Not enumerable. */
  declare readonly id?: string;

  protected constructor(message: string, details: IdempotencyErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    if (details.method !== undefined) this.method = details.method;
    if (details.id !== undefined) hide(this, 'id', details.id);
  }
}

/** Defines a property that logs and spreads leave out. */
export function hide<T extends object, K extends keyof T>(target: T, name: K, value: T[K]): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: false,
    writable: true,
    configurable: true,
  });
}

/** ` (Class.method)` for the end of a message, where the method is known. */
export function inMethod({ method }: IdempotencyErrorDetails): string {
  return method === undefined ? '' : ` (${method})`;
}

/** ` of Class.method` for the middle of one, where the method is known. */
export function ofMethod({ method }: IdempotencyErrorDetails): string {
  return method === undefined ? '' : ` of ${method}`;
}
