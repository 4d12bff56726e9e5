export { IdempotencyClaimLostError } from './claim-lost-error.js';
export {
  IdempotencyCommitError,
  type CommitErrorDetails,
  type CommitOutcome,
} from './commit-error.js';
export { IdempotencyExpiredClaimError } from './expired-claim-error.js';
export * from './guards.js';
export {
  IdempotencyError,
  type IdempotencyErrorCode,
  type IdempotencyErrorDetails,
} from './idempotency-error.js';
export { IdempotencyInProgressError } from './in-progress-error.js';
export { IdempotencyKeyError } from './key-error.js';
export { IdempotencyPayloadMismatchError } from './payload-mismatch-error.js';
export { IdempotencyRecordError } from './record-error.js';
export { IdempotencyResultUnavailableError } from './result-unavailable-error.js';
export {
  IdempotencyStoreError,
  type StoreErrorDetails,
  type StoreOperation,
} from './store-error.js';
