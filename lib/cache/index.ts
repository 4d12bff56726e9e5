/**
 * `mayfly-idempotency/cache`: replays from the memory of this process.
 *
 * @module mayfly-idempotency/cache
 */
export { replayCache } from './replay-cache.js';
export type { ReplayCacheOptions } from './cache-options.js';
