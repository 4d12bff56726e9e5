import { expect } from 'chai';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { Harness } from '../execution/harness.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { heldUntil } from '../support/intercepted-store.js';

describe('a caller that hangs up', () => {
  let harness: Harness;
  let runs: number;
  const charge = makeIdempotent(
    async (id: string, signal: AbortSignal) => {
      signal.throwIfAborted();
      runs += 1;
      return Promise.resolve(`${id} charged`);
    },
    { namespace: 'charge', key: (id) => id },
  );
  const call = (signal: AbortSignal): Promise<string> =>
    withIdempotency({ store: harness.store, clock: harness.clock }, () => charge('o1', signal));

  beforeEach(() => {
    harness = new Harness();
    runs = 0;
  });

  afterEach(() => {
    harness.dispose();
  });

  // F26
  it('after the effect finds the result recorded all the same', async () => {
    const gate = deferred();
    const caller = new AbortController();
    harness.store.next('complete', heldUntil(gate.promise));
    const first = call(caller.signal);
    await harness.clock.advance(0);

    caller.abort();
    gate.resolve();

    expect(await first).to.equal('o1 charged');
    expect((await harness.memory.get('charge#o1'))?.status).to.equal('COMPLETED');
    expect(harness.store.count('release')).to.equal(0);
    expect(await call(new AbortController().signal)).to.equal('o1 charged');
    expect(runs).to.equal(1);
  });

  // F26
  it('before the effect leaves nothing behind: the method says so and the key is free', async () => {
    await expectRejection(call(AbortSignal.abort()));

    expect([runs, harness.memory.size]).to.deep.equal([0, 0]);
  });
});
