import { describeStoreContract } from '../../../lib/testing/index.js';
import { glideShape, ioredis, nodeRedis } from './clients.js';
import { RedisBench } from './redis-bench.js';

for (const [name, connect] of Object.entries({ nodeRedis, ioredis, glideShape })) {
  describe(`RedisStore through ${name}`, () => {
    const bench = new RedisBench(connect).runs();

    describeStoreContract('RedisStore', bench.harness());
  });
}
