import { inspect } from 'node:util';
import { expect } from 'chai';
import {
  IdempotencyRecordError,
  IdempotencyStoreError,
  type StoreOperation,
} from '../../lib/errors/index.js';
import type { Call } from '../../lib/execution/call.js';
import { promiseOf, storeFailure } from '../../lib/execution/store-failure.js';
import { expectRejection } from '../support/expect-rejection.js';

const call = { method: 'Orders.place', id: 'orders#o1' } as Call;

const storeError = (cause: unknown, operation: StoreOperation = 'claim'): IdempotencyStoreError => {
  const error = storeFailure(operation, cause, call);
  expect(error).to.be.an.instanceOf(IdempotencyStoreError);
  return error as IdempotencyStoreError;
};

describe('promiseOf', () => {
  it('passes on what the store resolves or rejects with', async () => {
    const failure = new Error('outage');

    expect(await promiseOf(Promise.resolve(5))).to.equal(5);
    expect(await expectRejection(promiseOf(Promise.reject(failure)))).to.equal(failure);
  });

  it('takes any thenable for a promise', async () => {
    const thenable = {
      then: (resolve: (value: number) => void) => {
        resolve(5);
      },
    };

    expect(await promiseOf(thenable as unknown as Promise<number>)).to.equal(5);
  });

  for (const value of [undefined, null, 5, {}, { then: 5 }]) {
    it(`throws where the store returns ${inspect(value)} instead of a promise`, () => {
      expect(() => promiseOf(value as unknown as Promise<void>)).to.throw(
        TypeError,
        /^The store returned no promise$/,
      );
    });
  }
});

describe('storeFailure', () => {
  it('names operation and method, keeps the cause, and quotes nothing of it', () => {
    const cause = new Error('PutItem {"card":"4111"} failed');

    const error = storeError(cause);

    expect(error).to.include({ operation: 'claim', ...call, cause, maybeApplied: true });
    expect(error.message).to.equal(
      "The idempotency store's claim failed: Error; the method did not run (Orders.place)",
    );
  });

  it('keeps what a store error knows, and says which operation it was for', () => {
    const cause = new Error('from the SDK');
    const known = new IdempotencyStoreError('no table', {
      operation: 'get',
      retryable: false,
      maybeApplied: false,
      table: 'orders',
      hint: 'Create it',
      cause,
    });

    expect(storeError(known, 'claim')).to.include({
      operation: 'claim',
      ...call,
      retryable: false,
      maybeApplied: false,
      table: 'orders',
      hint: 'Create it',
      reason: 'no table',
      cause,
    });
  });

  it('leaves a record error what it is, with the method', () => {
    const cause = new Error('why');
    const error = storeFailure(
      'claim',
      new IdempotencyRecordError('its status is unknown', { cause }),
      call,
    );

    expect(error).to.be.an.instanceOf(IdempotencyRecordError);
    expect(error).to.include({ ...call, reason: 'its status is unknown', cause });
  });

  it('puts the result of a method that succeeded on a store error, whatever the failure', () => {
    const failures = [
      new Error('outage'),
      new IdempotencyStoreError('denied', { operation: 'complete', retryable: false }),
      new IdempotencyRecordError('its status is unknown'),
    ];
    for (const cause of failures) {
      const error = storeFailure('complete', cause, call, { result: 'receipt' });

      expect(error).to.be.an.instanceOf(IdempotencyStoreError);
      expect(error).to.include({ operation: 'complete', result: 'receipt' });
      expect(Object.keys(error)).to.not.include('result');
    }
  });

  const retryable: Readonly<Record<string, unknown>> = {
    'a lost connection': Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
    'a timeout': new DOMException('The operation timed out', 'TimeoutError'),
    "fetch's failure": new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }),
  };
  for (const [what, cause] of Object.entries(retryable)) {
    it(`counts ${what} as retryable`, () => {
      expect(storeError(cause).retryable).to.equal(true);
    });
  }

  const bugs: Readonly<Record<string, unknown>> = {
    'a TypeError': new TypeError('x is not a function'),
    'a RangeError': new RangeError('x'),
    'a ReferenceError': new ReferenceError('x is not defined'),
    'a SyntaxError': new SyntaxError('x'),
    undefined: undefined,
    null: null,
    'a string': 'outage',
  };
  for (const [what, cause] of Object.entries(bugs)) {
    it(`counts ${what} as a bug that repeating does not mend`, () => {
      expect(storeError(cause).retryable).to.equal(false);
    });
  }

  for (const [cause, reason] of [
    [undefined, 'it rejected with undefined'],
    [null, 'it rejected with null'],
    ['4111', 'it rejected with string'],
    [{ card: '4111' }, 'it rejected with object'],
  ] as const) {
    it(`says only the type of ${inspect(cause)}`, () => {
      expect(storeError(cause).reason).to.equal(reason);
      expect(storeError(cause).message).to.not.include('4111');
    });
  }
});
