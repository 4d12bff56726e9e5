import { IdempotencyKeyError, isIdempotencyKeyError } from '../errors/index.js';
import { nameOfThrown } from '../errors/name-of-thrown.js';
import { fingerprintOfValue } from '../keys/fingerprint.js';
import { joinId, recordId } from '../keys/record-id.js';
import type { Declaration } from './declaration.js';

/**
 * The id of a call's record. The key is made here, once per call and before anything else happens:
 * what the method does to its arguments later cannot move the record.
 *
 * @throws IdempotencyKeyError where there is no usable key.
 */
export function idOfCall(
  declaration: Declaration,
  namespace: string,
  self: unknown,
  args: readonly unknown[],
  argumentCount: number,
): string {
  const { key } = declaration.options;
  if (key === undefined) {
    const taken = argumentCount === args.length ? args : args.slice(0, argumentCount);
    return joinId(namespace, declaration.defaultKey(taken));
  }
  const value = typeof key === 'function' ? evaluate(key, 'key', declaration, self, args) : key;
  return recordId(namespace, value, declaration.method, declaration.options.namespace === '');
}

/** The fingerprint of a call, where the method asks for one. */
export function fingerprintOfCall(
  declaration: Declaration,
  self: unknown,
  args: readonly unknown[],
): string | undefined {
  const { fingerprint } = declaration.options;
  if (fingerprint === undefined) return undefined;
  const value = evaluate(fingerprint, 'fingerprint', declaration, self, args);
  return fingerprintOfValue(value, declaration.method);
}

function evaluate(
  option: (...args: unknown[]) => unknown,
  name: string,
  { method }: Declaration,
  self: unknown,
  args: readonly unknown[],
): unknown {
  try {
    return Reflect.apply(option, self, args);
  } catch (cause) {
    if (isIdempotencyKeyError(cause)) throw named(cause, method);
    const detached =
      self === undefined ? '; it was called without its instance, in case it needs `this`' : '';
    throw new IdempotencyKeyError(
      `The \`${name}\` function threw ${nameOfThrown(cause)}${detached}`,
      {
        method,
        cause,
      },
    );
  }
}

/** A key error of the user's own making (from `idempotencyKey`, say) does not know the method yet. */
function named(error: IdempotencyKeyError, method: string): IdempotencyKeyError {
  if (error.method !== undefined) return error;
  const { reason, missing, cause } = error;
  return new IdempotencyKeyError(reason, { method, missing, cause });
}
