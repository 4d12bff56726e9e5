import { expect } from 'chai';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { describeStoreContract } from '../../lib/testing/store-contract.js';
import {
  ExpiryLeftBehindStore,
  ReadThenWriteClaimStore,
  ShorteningRenewalStore,
  TokenBlindCompleteStore,
  TokenBlindReleaseStore,
} from './broken-stores.js';
import { record, type RecordedRun } from './recording-runner.js';

function runContract(Store: typeof MemoryStore): Promise<RecordedRun> {
  return record((runner) => {
    describeStoreContract(Store.name, {
      create: () => ({ store: new Store() }),
      seed: (store, seeded) => {
        store.seed(seeded);
      },
      runner,
    });
  });
}

describe('describeStoreContract on broken stores', () => {
  it('passes a store that keeps the contract', async () => {
    const { passed, failed } = await runContract(MemoryStore);

    expect(failed).to.deep.equal([]);
    expect(passed).to.have.length.above(80);
  });

  // F27
  it('fails a store whose claim reads and then writes', async () => {
    const { failed } = await runContract(ReadThenWriteClaimStore);

    expect(failed).to.deep.equal([
      'claim › lets one of many claims at the same moment win',
      'claim of a record that has ended › lets one of many claims take over a lapsed one',
      'claim of a record that has ended › lets one of many claims replace an expired outcome',
    ]);
  });

  it('fails a store whose complete is blind to the token', async () => {
    const { failed } = await runContract(TokenBlindCompleteStore);

    expect(failed).to.deep.equal([
      'claim of a record that has ended › lets either the late owner or the successor have the record, never both',
      'complete › rejects as lost when the record carries another token',
      'complete › rejects as lost when another claim took over',
      'ownership › tells claims apart that are equal in all but the token',
      'ownership › keeps a token to the id it claimed',
      'ownership › lets the late owner change nothing once its successor has finished',
    ]);
  });

  it('fails a store whose release is blind to the token', async () => {
    const { failed } = await runContract(TokenBlindReleaseStore);

    expect(failed).to.deep.equal([
      'release › leaves a claim with another token as it is',
      'release › leaves the claim that took over as it is',
      'release › leaves the claim that came after it as it is when it is repeated',
      'ownership › tells claims apart that are equal in all but the token',
      'ownership › keeps a token to the id it claimed',
    ]);
  });

  it('fails a store whose renewal leaves the expiry behind', async () => {
    const { failed } = await runContract(ExpiryLeftBehindStore);

    expect(failed).to.deep.equal([
      'renew › keeps a claim that outlives its ttl from expiring',
      'renew › ends at the latest of several at once',
      'renew › renews a claim that has lapsed and that nobody took over',
    ]);
  });

  it('fails a store whose renewal shortens a claim', async () => {
    const { failed } = await runContract(ShorteningRenewalStore);

    expect(failed).to.deep.equal([
      'renew › changes nothing when it comes after a later one',
      'renew › ends at the latest of several at once',
    ]);
  });
});
