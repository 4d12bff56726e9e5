import { canonicalHash } from './canonical-json.js';

/**
 * What a record keeps of what the `fingerprint` function returned: the hex SHA-256 of its canonical
 * JSON (RFC 8785). Two calls with one key and different fingerprints are a mismatch.
 *
 * @throws {@link IdempotencyKeyError} for undefined and for what JSON cannot tell apart
 */
export function fingerprintOfValue(value: unknown, method?: string): string {
  return canonicalHash(value, 'fingerprint', method);
}
