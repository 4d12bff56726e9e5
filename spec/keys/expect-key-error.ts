import { AssertionError } from 'chai';
import { IdempotencyKeyError } from '../../lib/errors/index.js';

/** Expects `run` to throw an `IdempotencyKeyError`; returns it. */
export function expectKeyError(run: () => unknown): IdempotencyKeyError {
  let value: unknown;
  try {
    value = run();
  } catch (error) {
    if (error instanceof IdempotencyKeyError) return error;
    throw error;
  }
  throw new AssertionError(`Expected an IdempotencyKeyError, got ${String(value)}`);
}
