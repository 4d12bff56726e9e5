import { canonicalHash } from './canonical-json.js';

/** Begins every hashed key. Keys that begin so by themselves are hashed too: no two forms meet. */
export const HASH_PREFIX = 'sha256:';

/**
 * `sha256:` and the hex SHA-256 of the value's canonical JSON in UTF-8. `name` and `method` are for
 * the error, as in {@link canonicalHash}.
 *
 * @throws IdempotencyKeyError for what JSON cannot tell apart.
 */
export function hashedKey(value: unknown, name: string, method?: string): string {
  return HASH_PREFIX + canonicalHash(value, name, method);
}
