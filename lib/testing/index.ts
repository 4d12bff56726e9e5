export { manualClock, type ManualClock } from './manual-clock.js';
export { describeStoreContract } from './store-contract.js';
export type { ContractRunner, StoreHarness, StoreUnderTest } from './store-harness.js';
