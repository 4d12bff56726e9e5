import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  IdempotencyClaimLostError,
  IdempotencyInProgressError,
  IdempotencyKeyError,
  IdempotencyRecordError,
  IdempotencyResultUnavailableError,
  IdempotencyStoreError,
  type IdempotencyError,
} from '../../lib/errors/index.js';
import { bareSamples, details, record, samples, SECRETS } from './samples.js';

/** Class, code, status. */
const table = {
  InProgress: ['IdempotencyInProgressError', 'ERR_IDEMPOTENCY_IN_PROGRESS', 409],
  Key: ['IdempotencyKeyError', 'ERR_IDEMPOTENCY_KEY', 400],
  PayloadMismatch: ['IdempotencyPayloadMismatchError', 'ERR_IDEMPOTENCY_PAYLOAD_MISMATCH', 422],
  ClaimLost: ['IdempotencyClaimLostError', 'ERR_IDEMPOTENCY_CLAIM_LOST', undefined],
  ExpiredClaim: ['IdempotencyExpiredClaimError', 'ERR_IDEMPOTENCY_EXPIRED_CLAIM', 409],
  ResultUnavailable: [
    'IdempotencyResultUnavailableError',
    'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE',
    undefined,
  ],
  Record: ['IdempotencyRecordError', 'ERR_IDEMPOTENCY_RECORD', undefined],
  Commit: ['IdempotencyCommitError', 'ERR_IDEMPOTENCY_COMMIT', undefined],
  Store: ['IdempotencyStoreError', 'ERR_IDEMPOTENCY_STORE', 503],
} as const;

/** What Lambda's runtime logs of an error beside name, message and stack. */
const enumerable = (error: IdempotencyError): string => JSON.stringify(Object.entries(error));

describe('errors', () => {
  for (const [name, [className, code, statusCode]] of Object.entries(table)) {
    const error = samples[name]!;
    const bare = bareSamples[name]!;

    describe(className, () => {
      it('has its name, code and status, and what caused it', () => {
        expect(error).to.include({ name: className, code, cause: details.cause });
        expect(error.statusCode).to.equal(statusCode);
        expect(error.stack).to.match(new RegExp(`^${className}: `, 'u'));
      });

      // F73
      it('has a message of one line that names the method', () => {
        expect(error.message).to.include('Orders.place');
        expect(error.message).to.not.include('\n');
        expect(bare.message).to.not.match(/undefined|null|\(\)|\s\s|\n/u);
      });

      // F73
      it('shows no key, payload or result in messages and logs', () => {
        const shown = [
          error.message,
          String(error),
          error.stack ?? '',
          JSON.stringify(error),
          enumerable(error),
          inspect(error),
          inspect(error, { depth: Infinity }),
          inspect(new Error('outer', { cause: error })),
        ].join('\n');

        for (const secret of SECRETS) expect(shown).to.not.include(secret);
      });

      it('carries the id all the same, out of sight', () => {
        expect(error.id).to.equal(record.id);
        expect(Object.keys(error)).to.not.include('id');
      });

      it('has no property that is not set', () => {
        for (const [property, value] of Object.entries(bare)) {
          expect(value, property).to.not.equal(undefined);
        }
        expect(bare).to.not.have.any.keys('method', 'id', 'cause');
        expect('cause' in bare).to.equal(false);
      });
    });
  }

  for (const name of ['PayloadMismatch', 'ExpiredClaim']) {
    // F91
    it(`of the kind ${name} carry the record, out of sight`, () => {
      const error = samples[name] as unknown as { record: unknown };

      expect(error.record).to.equal(record);
      expect(Object.keys(error)).to.not.include('record');
    });
  }

  for (const name of ['ClaimLost', 'Commit', 'Store']) {
    it(`of the kind ${name} carry the method's result, out of sight`, () => {
      const error = samples[name] as unknown as { result: unknown };

      expect(error.result).to.deep.equal({ card: 'result-4242' });
      expect(Object.keys(error)).to.not.include('result');
    });
  }

  it('tell a result of undefined from none', () => {
    expect('result' in new IdempotencyClaimLostError()).to.equal(false);
    expect('result' in new IdempotencyClaimLostError({ result: undefined })).to.equal(true);
  });

  it('say when to retry', () => {
    const error = new IdempotencyInProgressError(new Date(1000), 500);

    expect(error).to.deep.include({ until: new Date(1000), retryAfterMs: 500 });
    expect(error.message).to.equal(
      'Another call with this key is in progress; retry in 500 ms at the latest',
    );
  });

  it('say whether a key is missing or unusable', () => {
    expect(new IdempotencyKeyError('`key` is a Map')).to.include({
      missing: false,
      reason: '`key` is a Map',
      message: '`key` is a Map',
    });
    expect(samples['Key']).to.include({
      missing: true,
      message: '`key` is missing (Orders.place)',
    });
  });

  it('say why a result was not kept', () => {
    expect(new IdempotencyResultUnavailableError('too-large', 1000).message).to.equal(
      'An earlier call succeeded, but its result was not kept: it was larger than the store takes',
    );
    expect(new IdempotencyResultUnavailableError('not-encodable', 1000).message).to.equal(
      'An earlier call succeeded, but its result was not kept: the codec could not encode it',
    );
  });

  it('say whether deferred writes were applied', () => {
    expect(samples['Commit']).to.deep.include({
      outcome: 'cancelled',
      reasons: ['None', 'ConditionalCheckFailed'],
      message:
        'The commit failed: a condition does not hold; none of the deferred writes was applied (Orders.place)',
    });
    expect(bareSamples['Commit']).to.deep.include({
      outcome: 'unknown',
      reasons: [],
      message: 'The commit failed: no answer; whether the deferred writes were applied is unknown',
    });
  });

  it('say what is wrong with a record', () => {
    expect(new IdempotencyRecordError('its status is unknown').message).to.equal(
      'The stored record cannot be used: its status is unknown',
    );
  });

  describe('of the store', () => {
    it('say what failed, on which table, whether the method ran, and what to do', () => {
      expect(samples['Store']?.message).to.equal(
        "The idempotency store's complete on table orders-table failed: DynamoDB throttles the requests; the method ran and succeeded, its result is not recorded (Orders.place). Give the table more capacity",
      );
    });

    for (const [operation, ran] of [
      ['claim', '; the method did not run'],
      ['complete', '; the method ran and succeeded, its result is not recorded'],
      ['renew', ''],
      ['release', ''],
      ['get', ''],
      ['forget', ''],
    ] as const) {
      it(`say so after a failed ${operation}`, () => {
        const error = new IdempotencyStoreError('outage', { operation, retryable: false });

        expect(error.message).to.equal(`The idempotency store's ${operation} failed: outage${ran}`);
        expect(error).to.include({ operation, retryable: false, maybeApplied: true });
      });
    }

    it('keep table and hint as members', () => {
      expect(samples['Store']).to.include({
        table: 'orders-table',
        hint: 'Give the table more capacity',
        reason: 'DynamoDB throttles the requests',
      });
    });
  });
});
