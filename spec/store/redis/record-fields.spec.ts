import { expect } from 'chai';
import fc from 'fast-check';
import { IdempotencyRecordError } from '../../../lib/errors/index.js';
import type { ClaimRequest, Completion } from '../../../lib/store/idempotency-store.js';
import {
  claimFields,
  completionFields,
  recordFromFields,
  resultBytes,
  timeText,
  type Fields,
} from '../../../lib/store/redis/record-fields.js';

const read = (fields: Fields, clockSkewMs = 0) => recordFromFields(fields, 'a', clockSkewMs);

describe('The fields of a record in Redis', () => {
  it('of a claim are these', () => {
    const request: ClaimRequest = {
      ...{ id: 'a', token: 't', nowMs: 1000, ttlMs: 5000, inProgressUntilMs: 2000.5 },
      ...{ fingerprint: 'f', onExpiredClaim: 'run' },
    };

    expect(claimFields(request, 6000)).to.deep.equal([
      ...['v', '1', 'status', 'INPROGRESS', 'claim_token', 't', 'in_progress_until_ms', '2000.5'],
      ...['expires_at_ms', '6000', 'fingerprint', 'f'],
    ]);
    expect(claimFields(request, undefined)).not.to.include('expires_at_ms');
  });

  it('of an outcome are these', () => {
    const error = { name: 'CardError', message: 'declined', code: 'E1', statusCode: 402 };

    expect(completionFields({ status: 'FAILED', nowMs: 1000, ttlMs: 5000, error })).to.deep.equal([
      ...['status', 'FAILED', 'completed_at_ms', '1000', 'expires_at_ms', '6000'],
      ...['error', '{"name":"CardError","message":"declined","code":"E1","statusCode":402}'],
    ]);
  });

  it('are read as they were written', () => {
    const outcome = fc.record(
      {
        result: fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array()),
        encoding: fc.string(),
        error: fc.record(
          {
            ...{ name: fc.string(), message: fc.string() },
            ...{ code: fc.oneof(fc.string(), fc.integer()), statusCode: fc.integer() },
          },
          { requiredKeys: ['name', 'message'] },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(outcome, fc.nat(), fc.nat(), (given, nowMs, ttlMs) => {
        const completion: Completion = { status: 'COMPLETED', nowMs, ttlMs, ...given };

        const record = read(completionFields(completion), 7);

        const expiresAtMs = nowMs + ttlMs;
        expect(record).to.deep.equal({
          ...{ id: 'a', status: 'COMPLETED', completedAtMs: nowMs, expiresAtMs, ...given },
          takeoverAtMs: expiresAtMs + 7,
        });
      }),
    );
  });

  it('are no record where there are none', () => {
    expect(read([])).to.equal(undefined);
  });

  it('may be more than this version knows', () => {
    expect(read(['status', 'COMPLETED', 'region', 'eu'])).to.deep.equal({
      ...{ id: 'a', status: 'COMPLETED' },
    });
  });

  it('leave out the end of a claim that is over', () => {
    expect(read(['status', 'COMPLETED', 'in_progress_until_ms', '5'])).to.deep.equal({
      ...{ id: 'a', status: 'COMPLETED' },
    });
  });

  const unusable: readonly (readonly [Fields, RegExp])[] = [
    [['v', '2', 'status', 'COMPLETED'], /another version than 1/],
    [['result', '1'], /no `status`/],
    [['status', 'completed'], /`status` is none of INPROGRESS, COMPLETED, FAILED/],
    [['status', 'COMPLETED', 'expires_at_ms', '1e3'], /`expires_at_ms` is not a time/],
    [['status', 'COMPLETED', 'expires_at_ms', ''], /`expires_at_ms` is not a time/],
    [['status', 'COMPLETED', 'completed_at_ms', '5\n'], /`completed_at_ms` is not a time/],
    [['status', 'INPROGRESS', 'in_progress_until_ms', ' 5'], /is not a time/],
    [['status', 'COMPLETED', 'result_omitted', 'x'], /`result_omitted` is none of/],
    [['status', 'COMPLETED', 'result_base64', 'AQ'], /is not base64/],
    [['status', 'COMPLETED', 'result_base64', 'AQ==', 'result', '1'], /stands beside/],
    [['status', 'FAILED', 'error', 'no'], /not the JSON of an error/],
    [['status', 'FAILED', 'error', '{"name":"E"}'], /not the JSON of an error/],
  ];
  for (const [fields, reason] of unusable) {
    it(`are an IdempotencyRecordError where they are ${JSON.stringify(fields)}`, () => {
      expect(() => read(fields))
        .to.throw(IdempotencyRecordError)
        .with.property('reason')
        .which.matches(reason);
    });
  }

  it('measure a result as it is kept', () => {
    expect(resultBytes(undefined)).to.equal(0);
    expect(resultBytes('€')).to.equal(3);
    expect(resultBytes(new Uint8Array(4))).to.equal(8);
  });

  it('keep times to the part of a millisecond, and nothing that is none', () => {
    expect(timeText(1_900_000_000_000.25)).to.equal('1900000000000.25');
    for (const ms of [NaN, Infinity, -Infinity, 1e16]) {
      expect(() => timeText(ms)).to.throw(RangeError);
    }
  });
});
