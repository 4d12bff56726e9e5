import type { IdempotencyStore } from '../store/idempotency-store.js';
import { contractGroup } from './contract/bench.js';
import { claimTests } from './contract/claim.js';
import { commitTests } from './contract/commit.js';
import { completeTests } from './contract/complete.js';
import { expiredClaimTests } from './contract/expired-claim.js';
import { forgetTests } from './contract/forget.js';
import { generalTests } from './contract/general.js';
import { getTests } from './contract/get.js';
import { ownershipTests } from './contract/ownership.js';
import { releaseTests } from './contract/release.js';
import { renewTests } from './contract/renew.js';
import { takeoverTests } from './contract/takeover.js';
import { runnerOf, type StoreHarness } from './store-harness.js';

/**
 * Registers the contract of `IdempotencyStore` as tests, one per sentence of its prose. Any store
 * that passes can stand behind a decorated method. The tests bring their own times and ids: they
 * need no clock, wait for nothing and can share a table.
 *
 * @throws TypeError when no test runner is found.
 *
 * @example
 * ```ts
 * import { describeStoreContract } from 'mayfly-idempotency/testing';
 *
 * describeStoreContract('MyStore', { create: () => ({ store: new MyStore() }) });
 * ```
 */
export function describeStoreContract<S extends IdempotencyStore>(
  name: string,
  harness: StoreHarness<S>,
): void {
  const runner = runnerOf(harness);
  const group = contractGroup(harness);
  runner.describe(`${name} keeps the store contract`, () => {
    runner.describe('in general', () => {
      generalTests(group);
    });
    runner.describe('claim', () => {
      claimTests(group);
    });
    runner.describe('claim of a record that has ended', () => {
      takeoverTests(group);
    });
    runner.describe("claim under onExpiredClaim: 'reject'", () => {
      expiredClaimTests(group);
    });
    runner.describe('renew', () => {
      renewTests(group);
    });
    runner.describe('complete', () => {
      completeTests(group);
    });
    runner.describe('release', () => {
      releaseTests(group);
    });
    runner.describe('ownership', () => {
      ownershipTests(group);
    });
    const { effects } = harness;
    if (effects !== undefined) {
      runner.describe('commit', () => {
        commitTests(group, effects);
      });
    }
    runner.describe('get', () => {
      getTests(group);
    });
    runner.describe('forget', () => {
      forgetTests(group);
    });
  });
}
