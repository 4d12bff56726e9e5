import { inspect } from 'node:util';
import { AssertionError } from 'chai';

type ErrorClass<E> = abstract new (...args: never[]) => E;

/** Expects the promise to be rejected, with an instance of `expected` where given; returns the error. */
export async function expectRejection<E = Error>(
  promise: PromiseLike<unknown>,
  expected?: ErrorClass<E>,
): Promise<E> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (expected === undefined || error instanceof expected) return error as E;
    throw new AssertionError(`Expected a rejection with ${expected.name}, got ${inspect(error)}`, {
      actual: error,
      expected,
    });
  }
  throw new AssertionError(`Expected a rejection, got the value ${inspect(value)}`);
}
