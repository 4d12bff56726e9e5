import { IdempotencyKeyError } from '../errors/key-error.js';
import { hashedKey } from './hashed-key.js';

/**
 * The key of a call whose options name none: `sha256:` and the hex SHA-256 of the canonical JSON (RFC
 * 8785) of the array of its arguments. Trailing undefined ones are dropped, so that `pay(order)` and
 * `pay(order, undefined)` are one call. Undefined members are dropped and null is a value, as JSON
 * has it; a function among the arguments counts as null.
 *
 * It takes in everything: request ids, receipt handles and times that differ at each delivery make
 * different keys. An event with an integer beyond 2^53 in it (a nanosecond timestamp, a numeric id)
 * has no default key. Both want a `key` function.
 *
 * @param args the arguments before the Lambda context; all, where there is none
 * @throws {@link IdempotencyKeyError} where no argument is left, or for what JSON cannot tell apart
 */
export function keyOfArguments(args: readonly unknown[], method?: string): string {
  let count = args.length;
  while (count > 0 && args[count - 1] === undefined) count -= 1;
  const given = count === args.length ? args : args.slice(0, count);
  if (!given.some(hasJson)) {
    throw missing('There is no argument to make a key from: give a `key` function', method);
  }
  return hashedKey(given, 'arguments', method);
}

/**
 * The key of a payload whose call names none: `sha256:` and the hex SHA-256 of its canonical JSON. All
 * that {@link keyOfArguments} says of arguments holds for it.
 *
 * @throws {@link IdempotencyKeyError} where there is no payload, or for what JSON cannot tell apart
 */
export function keyOfPayload(payload: unknown, method?: string): string {
  if (!hasJson(payload)) {
    throw missing('There is no payload to make a key from: give a `key`', method);
  }
  return hashedKey(payload, 'payload', method);
}

/** Calls that differ only in what JSON leaves out would all be one. */
function hasJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}

function missing(reason: string, method: string | undefined): IdempotencyKeyError {
  return new IdempotencyKeyError(reason, {
    missing: true,
    ...(method === undefined ? {} : { method }),
  });
}
