import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';

/**
 * The fingerprint that a record keeps: the hex SHA-256 of the value's canonical JSON (RFC 8785).
 *
 * @throws IdempotencyKeyError for what JSON cannot tell apart, `undefined` included.
 */
export function fingerprintOfValue(value: unknown, method: string): string {
  return hash('sha256', canonicalJson(value, 'fingerprint', method));
}
