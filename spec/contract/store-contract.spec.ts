import { expect } from 'chai';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { describeStoreContract } from '../../lib/testing/store-contract.js';
import type { StoreHarness } from '../../lib/testing/store-harness.js';
import { record, type RecordedRun } from './recording-runner.js';

const harness = { create: () => ({ store: new MemoryStore() }) };
const seedable: StoreHarness<MemoryStore> = {
  ...harness,
  seed: (store, seeded) => {
    store.seed(seeded);
  },
};

function run(tried: StoreHarness<MemoryStore>): Promise<RecordedRun> {
  return record((runner) => {
    describeStoreContract('MemoryStore', { ...tried, runner });
  });
}

describe('describeStoreContract', () => {
  it('leaves out the tests that need a seed when the harness has none', async () => {
    const bare = await run(harness);
    const seeded = await run(seedable);

    expect(bare.failed).to.deep.equal([]);
    expect(bare.passed).to.not.include('get › returns records that have expired or lapsed');
    expect(seeded.passed).to.include('get › returns records that have expired or lapsed');
  });

  it('fails a store that answers failures with harmless values', async () => {
    const harmless = await run({ ...harness, createUnavailable: harness.create });
    const patient = await run({ ...harness, createUnresponsive: harness.create });

    expect(harmless.failed).to.deep.equal([
      'in general › rejects when it cannot reach its back end',
    ]);
    expect(patient.failed).to.deep.equal([
      'in general › rejects when the time that the caller has is over',
    ]);
  });

  it('fails a store whose clock skew is not the one that the harness names', async () => {
    const { failed } = await run({ ...harness, clockSkewSeconds: 1 });

    expect(failed).to.include(
      'claim of a record that has ended › takes a claim over one millisecond after its end plus the clock skew',
    );
  });

  it('fails a store that rounds more than the harness says', async () => {
    const { failed } = await run({ ...harness, expiryGranularityMs: 1 });

    expect(failed).to.include('claim › claims an id that has no record');
  });

  it('makes a store for each test and disposes of it, however the test ends', async () => {
    let made = 0;
    let disposed = 0;
    const { passed, failed } = await run({
      create: () => {
        made++;
        return {
          store: new MemoryStore({ clockSkew: 5 }),
          dispose: () => {
            disposed++;
          },
        };
      },
    });

    expect(failed).to.not.be.empty;
    expect(made).to.equal(passed.length + failed.length);
    expect(disposed).to.equal(made);
  });

  it('says how to bring a test runner when there is none', () => {
    const { describe: globalDescribe } = globalThis;
    Reflect.deleteProperty(globalThis, 'describe');
    try {
      expect(() => {
        describeStoreContract('MemoryStore', harness);
      }).to.throw(TypeError, 'pass `runner: { describe, it }` in the harness');
    } finally {
      globalThis.describe = globalDescribe;
    }
  });
});
