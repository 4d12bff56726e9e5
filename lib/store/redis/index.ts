/**
 * `mayfly-idempotency/redis`: a store on Redis or Valkey, for the clients that people have.
 *
 * @module mayfly-idempotency/redis
 */
export {
  type GlideLike,
  type IoredisLike,
  type NodeRedisLike,
  type RedisClientKind,
  type RedisClientLike,
} from './client.js';
export { RedisStore } from './redis-store.js';
export { type RedisStoreOptions } from './store-options.js';
