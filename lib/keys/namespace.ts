/** Leaves a hashed key (71 bytes) and the `#` ample room in an id of 1024 bytes. */
const MAX_NAMESPACE_BYTES = 512;

/**
 * Checks a namespace that somebody wrote: a string without `#`, well-formed UTF-16, at most 512 bytes
 * in UTF-8. The empty one is fine: it means the bare key.
 *
 * @throws TypeError for another type, RangeError for a string that does not fit.
 */
export function checkNamespace(namespace: unknown, where: string): void {
  if (typeof namespace !== 'string') {
    const got = namespace === null ? 'null' : typeof namespace;
    throw new TypeError(`Expected \`namespace\` to be a string, got ${got} (${where})`);
  }
  if (namespace.includes('#')) {
    throw new RangeError(
      `Expected \`namespace\` to be without #, which ends it in an id, got ${quote(namespace)} (${where})`,
    );
  }
  if (!namespace.isWellFormed()) {
    throw new RangeError(
      `Expected \`namespace\` to be well-formed UTF-16, got ${quote(namespace)} (${where})`,
    );
  }
  const bytes = Buffer.byteLength(namespace);
  if (bytes > MAX_NAMESPACE_BYTES) {
    throw new RangeError(
      `Expected \`namespace\` to be at most ${String(MAX_NAMESPACE_BYTES)} bytes of UTF-8, got ${String(bytes)} (${where})`,
    );
  }
}

/** `JSON.stringify` writes a lone surrogate as an escape, so that the message is well-formed. */
function quote(namespace: string): string {
  const shown = namespace.length > 64 ? `${namespace.slice(0, 64)}…` : namespace;
  return JSON.stringify(shown);
}

/**
 * A class's or method's name as part of a derived namespace: `#` (a private method's) as `%23`, and
 * `%` as `%25`, so that no two names become one.
 */
export function encodeNamePart(name: string): string {
  return name.replace(/%/g, '%25').replace(/#/g, '%23');
}
