import { IdempotencyKeyError } from '../errors/key-error.js';
import { HASH_PREFIX, hashedKey } from './hashed-key.js';
import { checkKeyValue } from './key-value.js';

/**
 * The longest id, in bytes of UTF-8: DynamoDB takes 1024 bytes in a sort key and 2048 in a partition
 * key, and an id can be either.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const MAX_ID_BYTES = 1024;

/**
 * The id of a record: `namespace#key`, or the bare key where the namespace is empty.
 *
 * A string, number or bigint stands in it as it is, so that 1, `'1'` and 1n are one key and -0 is 0.
 * Inside arrays and objects they differ as in JSON: `[1]` is not `['1']`. As `sha256:` and the hex
 * SHA-256 of its canonical JSON stands: an array or object, a string that begins with `sha256:`, and a
 * key with which the id would exceed 1024 bytes. A string's JSON begins with a quotation mark, an
 * array's and an object's do not, so no two kinds meet. An object with a `toJSON` equals what it gives.
 *
 * @param key what the `key` option gave
 * @param bareKeyExplicit whether the user wrote `namespace: ''`: only then a bare key may hold `#`,
 *   since it could pass for another namespace's
 * @throws {@link IdempotencyKeyError} for a missing or unusable key; see {@link checkKeyValue}
 */
export function recordId(
  namespace: string,
  key: unknown,
  method: string,
  bareKeyExplicit = false,
): string {
  checkKeyValue(key, method);
  const text = typeof key === 'string' ? key : textOf(key, method);
  if (text === undefined) return joinId(namespace, hashedKey(key, 'key', method));
  if (namespace === '' && !bareKeyExplicit && text.includes('#')) {
    throw new IdempotencyKeyError(
      "`key` holds #, which ends a namespace; give a `namespace`, or `namespace: ''` for the bare key",
      { method },
    );
  }
  const id = joinId(namespace, text);
  return isTooLong(id) || text.startsWith(HASH_PREFIX)
    ? joinId(namespace, hashedKey(text, 'key', method))
    : id;
}

/** Joins a namespace with a key that is ready: a hashed one. */
export function joinId(namespace: string, key: string): string {
  return namespace === '' ? key : `${namespace}#${key}`;
}

/** A number's or bigint's text; `undefined` for what stands hashed. */
function textOf(key: unknown, method: string): string | undefined {
  if (typeof key === 'bigint') return String(key);
  if (typeof key !== 'number') return undefined;
  if (Math.abs(key) <= Number.MAX_SAFE_INTEGER) return String(key);
  throw new IdempotencyKeyError(
    '`key` is a number beyond 2^53 - 1, where one number stands for several integers; use a string or a bigint',
    { method },
  );
}

function isTooLong(id: string): boolean {
  // A UTF-16 unit takes three bytes of UTF-8 at most: short ids need no count.
  return id.length * 3 > MAX_ID_BYTES && Buffer.byteLength(id) > MAX_ID_BYTES;
}
