import { replayCache } from '../../lib/cache/index.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { describeStoreContract } from '../../lib/testing/index.js';

for (const clockSkewSeconds of [0, 2]) {
  const behind = new WeakMap<IdempotencyStore, MemoryStore>();

  describeStoreContract(`replayCache with a clock skew of ${String(clockSkewSeconds)} s`, {
    create: () => {
      const memory = new MemoryStore({ clockSkew: clockSkewSeconds });
      const store = replayCache(memory, { max: 100 });
      behind.set(store, memory);
      return { store };
    },
    seed: async (store, record) => {
      await store.forget(record.id, { force: true }); // The cache cannot know of the seeding.
      behind.get(store)?.seed(record);
    },
    clockSkewSeconds,
  });
}
