/**
 * `mayfly-idempotency`: a method decorator that makes retries safe. Nothing here loads the AWS SDK;
 * the DynamoDB store is in `mayfly-idempotency/dynamodb`.
 *
 * @module mayfly-idempotency
 */
import { preloadDynamoDBStore } from './configuration/dynamodb-loader.js';

export { configureIdempotency } from './configuration/configure-idempotency.js';
export type {
  CallOptions,
  DefaultOptions,
  KeyFunction,
  KeyValue,
  LambdaContextLike,
  MethodOptions,
  NamedStore,
  NamedTable,
  OnCompletionFailure,
  OnMissingKey,
  OnStoreUnavailable,
  Replay,
  SharedOptions,
  StoreOrTable,
} from './configuration/options.js';
export type { WarningCode } from './configuration/warnings.js';
export { withIdempotency } from './configuration/with-idempotency.js';
export {
  IdempotencyClaimLostError,
  IdempotencyCommitError,
  IdempotencyError,
  IdempotencyExpiredClaimError,
  IdempotencyInProgressError,
  IdempotencyKeyError,
  IdempotencyPayloadMismatchError,
  IdempotencyRecordError,
  IdempotencyResultUnavailableError,
  IdempotencyStoreError,
  isIdempotencyClaimLostError,
  isIdempotencyCommitError,
  isIdempotencyError,
  isIdempotencyExpiredClaimError,
  isIdempotencyInProgressError,
  isIdempotencyKeyError,
  isIdempotencyPayloadMismatchError,
  isIdempotencyRecordError,
  isIdempotencyResultUnavailableError,
  isIdempotencyStoreError,
  type CommitErrorDetails,
  type CommitOutcome,
  type IdempotencyErrorCode,
  type IdempotencyErrorDetails,
  type StoreErrorDetails,
  type StoreOperation,
} from './errors/index.js';
// Also what the types of exported values are made of: `export const hourly = Idempotent({ ttl: 3600 })`.
export type { AsyncMethod, IdempotentDecorator } from './decorator/decorator-types.js';
export { Idempotent } from './decorator/idempotent.js';
export { idempotencyIdOf, type IdentifyingArguments } from './decorator/idempotency-id-of.js';
export {
  IdempotencyDefaults,
  type ClassDefaults,
  type IdempotencyDefaultsDecorator,
} from './decorator/idempotency-defaults.js';
export { makeIdempotent } from './decorator/make-idempotent.js';
export { getIdempotentOptions, type UntypedMethodOptions } from './decorator/idempotent-options.js';
export {
  observeIdempotency,
  type EventBase,
  type EventDetails,
  type IdempotencyEvent,
} from './execution/events.js';
export type { Executed, InProgress, Outcome, Replayed } from './execution/outcome.js';
export { runIdempotent, type RunOptions } from './execution/run-idempotent.js';
export { idempotencyKey, type KeyPart } from './keys/key-template.js';
export { discardResult } from './results/discard-result.js';
export { jsonCodec } from './results/json-codec.js';
export { isReplayedError } from './results/recorded-error.js';
export type { Awaitable, ResultCodec } from './results/result-codec.js';
export { structuredCodec } from './results/structured-codec.js';
export {
  RecordStatus,
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type Commit,
  type Completion,
  type EncodedResult,
  type ForgetOptions,
  type IdempotencyRecord,
  type IdempotencyStore,
  type OnExpiredClaim,
  type OperationLimits,
  type RecordedError,
  type ResultOmittedReason,
  type TransactWrite,
} from './store/idempotency-store.js';
export { MemoryStore, type MemoryStoreOptions } from './store/memory-store.js';
export { systemClock, type Clock, type Timer } from './time/clock.js';

preloadDynamoDBStore();
