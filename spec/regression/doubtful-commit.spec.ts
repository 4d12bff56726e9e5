import { expect } from 'chai';
import { IdempotencyCommitError } from '../../lib/errors/index.js';
import { commitWith } from '../../lib/execution/index.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { Harness } from '../execution/harness.js';
import { expectRejection } from '../support/expect-rejection.js';
import { InterceptedStore, replyLost } from '../support/intercepted-store.js';

describe('a run under a claim of unknown outcome whose deferred writes may have been applied', () => {
  it('does not free the key', async () => {
    const harness = new Harness();
    let applied = 0;
    const memory = new MemoryStore({
      clock: harness.clock,
      transact: () => {
        applied += 1;
        return Promise.resolve();
      },
    });
    const store = new InterceptedStore(memory);
    store
      .next('claim', replyLost())
      .next('commit', ...Array.from({ length: 50 }, () => replyLost()));
    const body = (): string => {
      commitWith([{ Put: { TableName: 't', Item: {} } }]);
      return 'receipt';
    };

    const call = harness.call(body, { onStoreUnavailable: 'run' }, { store });
    const rejected = expectRejection(call, IdempotencyCommitError);
    await harness.clock.advance(20_000);

    expect((await rejected).outcome).to.equal('unknown');
    expect(applied).to.be.greaterThan(0);
    expect(store.count('release')).to.equal(0);
    expect((await memory.get('o1'))?.status).to.equal('INPROGRESS');
    harness.dispose();
  });
});
