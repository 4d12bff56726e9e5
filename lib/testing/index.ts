/**
 * `mayfly-idempotency/testing`: the store contract as tests, and a clock that tests move by hand.
 *
 * @module mayfly-idempotency/testing
 */
export { manualClock, type ManualClock } from './manual-clock.js';
export { describeStoreContract } from './store-contract.js';
export type {
  ContractRunner,
  EffectsHarness,
  StoreHarness,
  StoreUnderTest,
} from './store-harness.js';
