import { MemoryStore } from '../../lib/store/memory-store.js';
import { describeStoreContract } from '../../lib/testing/store-contract.js';

for (const clockSkewSeconds of [0, 2]) {
  describeStoreContract(`MemoryStore with a clock skew of ${String(clockSkewSeconds)} s`, {
    create: () => ({ store: new MemoryStore({ clockSkew: clockSkewSeconds }) }),
    seed: (store, record) => {
      store.seed(record);
    },
    clockSkewSeconds,
  });
}
