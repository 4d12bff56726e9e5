import { wrongOption } from '../errors/wrong-option.js';

/** Leaves a hashed key (71 bytes) and the `#` ample room in an id of 1024 bytes. */
const MAX_NAMESPACE_BYTES = 512;

/**
 * Checks a namespace that somebody wrote: a string without `#`, well-formed UTF-16, at most 512 bytes
 * in UTF-8. The empty one is fine: it means the bare key.
 *
 * @throws TypeError for another type, RangeError for a string that does not fit.
 */
export function checkNamespace(namespace: unknown, where: string): void {
  const wrong = (what: string, value = namespace): string =>
    wrongOption('namespace', what, value, where);
  if (typeof namespace !== 'string') throw new TypeError(wrong('a string'));
  if (namespace.includes('#')) throw new RangeError(wrong('without #, which ends it in an id'));
  if (!namespace.isWellFormed()) throw new RangeError(wrong('well-formed UTF-16'));
  const bytes = Buffer.byteLength(namespace);
  if (bytes > MAX_NAMESPACE_BYTES) {
    throw new RangeError(wrong(`at most ${String(MAX_NAMESPACE_BYTES)} bytes of UTF-8`, bytes));
  }
}

/**
 * A class's or method's name as part of a derived namespace: `#` (a private method's) as `%23`, and
 * `%` as `%25`, so that no two names become one.
 */
export function encodeNamePart(name: string): string {
  return name.replace(/%/g, '%25').replace(/#/g, '%23');
}
