import type { IdempotencyClaimLostError } from './claim-lost-error.js';
import type { IdempotencyCommitError } from './commit-error.js';
import type { IdempotencyExpiredClaimError } from './expired-claim-error.js';
import type { IdempotencyError, IdempotencyErrorCode } from './idempotency-error.js';
import type { IdempotencyInProgressError } from './in-progress-error.js';
import type { IdempotencyKeyError } from './key-error.js';
import type { IdempotencyPayloadMismatchError } from './payload-mismatch-error.js';
import type { IdempotencyRecordError } from './record-error.js';
import type { IdempotencyResultUnavailableError } from './result-unavailable-error.js';
import type { IdempotencyStoreError } from './store-error.js';

/*
 * Guards go by `code`, never by `instanceof`: a process can hold two copies of this package (an ES
 * module and a CommonJS one), and an error of either is recognised by both. They are not made by
 * calls: a bundler drops those that nobody uses.
 */

const codePrefix = 'ERR_IDEMPOTENCY_';

/** Never throws: guards look at whatever a method threw, and must not take its place. */
function codeOf(error: unknown): unknown {
  try {
    return error instanceof Error ? (error as { code?: unknown }).code : undefined;
  } catch {
    return undefined;
  }
}

function hasCode(error: unknown, code: IdempotencyErrorCode): boolean {
  return codeOf(error) === code;
}

/** Whether `error` is any error of this package. */
export function isIdempotencyError(error: unknown): error is IdempotencyError {
  const code = codeOf(error);
  return typeof code === 'string' && code.startsWith(codePrefix);
}

/** Whether `error` is an {@link IdempotencyInProgressError}: another call with the key is running. */
export const isIdempotencyInProgressError = (error: unknown): error is IdempotencyInProgressError =>
  hasCode(error, 'ERR_IDEMPOTENCY_IN_PROGRESS');
/** Whether `error` is an {@link IdempotencyKeyError}: the call had no usable key. */
export const isIdempotencyKeyError = (error: unknown): error is IdempotencyKeyError =>
  hasCode(error, 'ERR_IDEMPOTENCY_KEY');
/** Whether `error` is an {@link IdempotencyPayloadMismatchError}: the key belongs to a call with another fingerprint. */
export const isIdempotencyPayloadMismatchError = (
  error: unknown,
): error is IdempotencyPayloadMismatchError => hasCode(error, 'ERR_IDEMPOTENCY_PAYLOAD_MISMATCH');
/** Whether `error` is an {@link IdempotencyClaimLostError}: the method ran, and its claim was another call's by then. */
export const isIdempotencyClaimLostError = (error: unknown): error is IdempotencyClaimLostError =>
  hasCode(error, 'ERR_IDEMPOTENCY_CLAIM_LOST');
/** Whether `error` is an {@link IdempotencyExpiredClaimError}: an earlier claim has lapsed and an operator decides. */
export const isIdempotencyExpiredClaimError = (
  error: unknown,
): error is IdempotencyExpiredClaimError => hasCode(error, 'ERR_IDEMPOTENCY_EXPIRED_CLAIM');
/** Whether `error` is an {@link IdempotencyResultUnavailableError}: the call is recorded as completed without its result. */
export const isIdempotencyResultUnavailableError = (
  error: unknown,
): error is IdempotencyResultUnavailableError =>
  hasCode(error, 'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE');
/** Whether `error` is an {@link IdempotencyRecordError}: the stored record cannot be used. */
export const isIdempotencyRecordError = (error: unknown): error is IdempotencyRecordError =>
  hasCode(error, 'ERR_IDEMPOTENCY_RECORD');
/** Whether `error` is an {@link IdempotencyStoreError}: the store failed. */
export const isIdempotencyStoreError = (error: unknown): error is IdempotencyStoreError =>
  hasCode(error, 'ERR_IDEMPOTENCY_STORE');
/** Whether `error` is an {@link IdempotencyCommitError}: a transaction with the business writes failed. */
export const isIdempotencyCommitError = (error: unknown): error is IdempotencyCommitError =>
  hasCode(error, 'ERR_IDEMPOTENCY_COMMIT');
