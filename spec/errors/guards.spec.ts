import { expect } from 'chai';
import * as errors from '../../lib/errors/index.js';
import { bareSamples, samples } from './samples.js';

const guards: Readonly<Record<string, (error: unknown) => boolean>> = {
  InProgress: errors.isIdempotencyInProgressError,
  Key: errors.isIdempotencyKeyError,
  PayloadMismatch: errors.isIdempotencyPayloadMismatchError,
  ClaimLost: errors.isIdempotencyClaimLostError,
  ExpiredClaim: errors.isIdempotencyExpiredClaimError,
  ResultUnavailable: errors.isIdempotencyResultUnavailableError,
  Record: errors.isIdempotencyRecordError,
  Commit: errors.isIdempotencyCommitError,
  Store: errors.isIdempotencyStoreError,
};

describe('guards', () => {
  it('exist for every class that there is a sample of, and every class has one', () => {
    const classes = Object.keys(errors)
      .filter((name) => /^Idempotency.+Error$/u.test(name))
      .map((name) => name.slice('Idempotency'.length, -'Error'.length))
      .filter((name) => name !== '');

    expect(Object.keys(guards)).to.have.members(classes);
    expect(Object.keys(samples)).to.have.members(classes);
    expect(Object.keys(bareSamples)).to.have.members(classes);
  });

  for (const [name, guard] of Object.entries(guards)) {
    describe(`isIdempotency${name}Error`, () => {
      for (const [other, sample] of Object.entries(samples)) {
        it(`${name === other ? 'recognises' : 'is not taken in by'} ${sample.name}`, () => {
          expect(guard(sample)).to.equal(name === other);
          expect(guard(bareSamples[other])).to.equal(name === other);
        });
      }

      // F77
      it('recognises an error of a second copy of the package by its code', () => {
        class FromAnotherCopy extends Error {
          readonly code = samples[name]!.code;
        }

        expect(guard(new FromAnotherCopy())).to.equal(true);
      });

      it('goes by nothing but the code', () => {
        const impostor = Object.assign(new Error('x'), {
          name: samples[name]!.name,
          code: 'E_OTHER',
        });

        expect(guard(impostor)).to.equal(false);
        expect(guard({ name: samples[name]!.name, code: samples[name]!.code })).to.equal(false);
      });
    });
  }

  describe('isIdempotencyError', () => {
    for (const sample of Object.values(samples)) {
      it(`recognises ${sample.name}`, () => {
        expect(errors.isIdempotencyError(sample)).to.equal(true);
        expect(sample).to.be.an.instanceOf(errors.IdempotencyError);
      });
    }

    it('recognises an error of a later version of the package', () => {
      const later = Object.assign(new Error('x'), { code: 'ERR_IDEMPOTENCY_LATER' });

      expect(errors.isIdempotencyError(later)).to.equal(true);
    });

    for (const [what, value] of Object.entries({
      'a plain error': new Error('ERR_IDEMPOTENCY_KEY'),
      'an error with another code': Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }),
      'an error whose code is a number': Object.assign(new Error('x'), { code: 5 }),
      'an object with our code': { code: 'ERR_IDEMPOTENCY_KEY' },
      'our code': 'ERR_IDEMPOTENCY_KEY',
      null: null,
      undefined: undefined,
    })) {
      it(`is not taken in by ${what}`, () => {
        expect(errors.isIdempotencyError(value)).to.equal(false);
        for (const guard of Object.values(guards)) expect(guard(value)).to.equal(false);
      });
    }
  });

  it('never throw, whatever was thrown', () => {
    const refuses = (): never => {
      throw new Error('no');
    };
    const getter = Object.defineProperty(new Error('x'), 'code', { get: refuses });
    const proxy: unknown = new Proxy(new Error('x'), { get: refuses, getPrototypeOf: refuses });

    for (const guard of [errors.isIdempotencyError, ...Object.values(guards)]) {
      expect([guard(getter), guard(proxy)]).to.deep.equal([false, false]);
    }
  });
});
