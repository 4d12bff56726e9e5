import * as errors from '../../lib/errors/index.js';
import type { IdempotencyError } from '../../lib/errors/index.js';
import type { IdempotencyRecord } from '../../lib/store/idempotency-store.js';

/** What no log may show. */
export const SECRETS = ['id-4111', 'result-4242', 'fingerprint-ab', 'token-cd'];

export const record: IdempotencyRecord = {
  id: 'orders#id-4111',
  status: 'COMPLETED',
  result: '"result-4242"',
  claimToken: 'token-cd',
  fingerprint: 'fingerprint-ab',
  expiresAtMs: 2000,
};

export const details = { method: 'Orders.place', id: record.id, cause: new Error('the cause') };
const result = { card: 'result-4242' };

/** One error of each class, with everything on it that it can carry. */
export const samples: Readonly<Record<string, IdempotencyError>> = {
  InProgress: new errors.IdempotencyInProgressError(new Date(1000), 500, details),
  Key: new errors.IdempotencyKeyError('`key` is missing', { ...details, missing: true }),
  PayloadMismatch: new errors.IdempotencyPayloadMismatchError(record, details),
  ClaimLost: new errors.IdempotencyClaimLostError({ ...details, result }),
  ExpiredClaim: new errors.IdempotencyExpiredClaimError(record, details),
  ResultUnavailable: new errors.IdempotencyResultUnavailableError('too-large', 1000, details),
  Record: new errors.IdempotencyRecordError('its status is unknown', details),
  Commit: new errors.IdempotencyCommitError('a condition does not hold', {
    ...details,
    outcome: 'cancelled',
    reasons: ['None', 'ConditionalCheckFailed'],
    result,
  }),
  Store: new errors.IdempotencyStoreError('DynamoDB throttles the requests', {
    ...details,
    operation: 'complete',
    retryable: true,
    table: 'orders-table',
    hint: 'Give the table more capacity',
    result,
  }),
};

/** The same with nothing but what has to be given. */
export const bareSamples: Readonly<Record<string, IdempotencyError>> = {
  InProgress: new errors.IdempotencyInProgressError(new Date(1000), 500),
  Key: new errors.IdempotencyKeyError('`key` is missing'),
  PayloadMismatch: new errors.IdempotencyPayloadMismatchError(record),
  ClaimLost: new errors.IdempotencyClaimLostError(),
  ExpiredClaim: new errors.IdempotencyExpiredClaimError(record),
  ResultUnavailable: new errors.IdempotencyResultUnavailableError('not-encodable', undefined),
  Record: new errors.IdempotencyRecordError('its status is unknown'),
  Commit: new errors.IdempotencyCommitError('no answer', { outcome: 'unknown' }),
  Store: new errors.IdempotencyStoreError('outage', { operation: 'get', retryable: true }),
};
