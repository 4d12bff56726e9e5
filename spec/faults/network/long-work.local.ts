import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NamedStore, SharedOptions } from '../../../lib/configuration/options.js';
import { withIdempotency } from '../../../lib/configuration/with-idempotency.js';
import { isIdempotencyExpiredClaimError } from '../../../lib/errors/index.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import type { IdempotencyStore } from '../../../lib/store/idempotency-store.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import { manualClock } from '../../../lib/testing/manual-clock.js';
import { deferred } from '../../support/deferred.js';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { NetworkBench } from './network-bench.js';

const LEASE_S = 2;
const RUN_MS = 3 * LEASE_S * 1000;
const DAY_MS = 24 * 3600 * 1000;

describe('on DynamoDB Local', function () {
  this.timeout(60_000);
  const bench = new NetworkBench().runs(startDynamoDBLocal);
  const store = (): DynamoDBStore =>
    new DynamoDBStore({ table: bench.table, client: bench.running.client });

  /** One call for an order, by the given clock or in real time. */
  function call(
    orderId: string,
    body: () => unknown,
    options: SharedOptions & NamedStore<IdempotencyStore>,
  ) {
    return withIdempotency({ store: store(), ...options }, () =>
      runIdempotent({ orderId }, body as () => Promise<string>, { key: (order) => order.orderId }),
    );
  }

  // F34
  it('a run of three leases with a ttl of one runs once (6 s of real time)', async () => {
    const options = { lease: LEASE_S, ttl: LEASE_S };
    const started = deferred();
    let runs = 0;
    const state = { running: true };
    const body = async (): Promise<string> => {
      runs += 1;
      started.resolve();
      await sleep(RUN_MS);
      state.running = false;
      return 'placed';
    };

    const owner = call('long', body, options);
    await started.promise;
    const rivals: string[] = [];
    while (state.running) {
      const { status } = await call('long', body, options);
      rivals.push(status);
      await sleep(100);
    }
    rivals.pop(); // It may have come after the run.
    const outcome = await owner;
    const next = await call('long', body, options);

    expect(outcome).to.deep.equal({ status: 'executed', result: 'placed' });
    expect(new Set(rivals)).to.deep.equal(new Set(['in-progress']));
    // Enough to have asked in each of the leases, also on a slow machine.
    expect(rivals.length).to.be.greaterThan(5);
    expect(next).to.include({ status: 'replayed', result: 'placed' });
    expect(runs).to.equal(1);
  });

  // F10
  it("a crashed claim under onExpiredClaim: 'reject' is refused long after all its times", async () => {
    const options = { onExpiredClaim: 'reject', lease: 2, ttl: 2 } as const;
    const stopped = manualClock();
    const started = deferred();
    let runs = 0;
    const neverEnds = (): Promise<never> => {
      runs += 1;
      started.resolve();
      return new Promise(() => undefined);
    };
    void call('crashed', neverEnds, { ...options, clock: stopped });
    await started.promise;
    const left = await bench.item('crashed');

    for (const days of [0.001, 1, 365, 10 * 365]) {
      const clock = manualClock(stopped.now() + days * DAY_MS);
      const error = await expectRejection(call('crashed', neverEnds, { ...options, clock }));
      expect(isIdempotencyExpiredClaimError(error), `after ${String(days)} days`).to.equal(true);
    }

    expect(runs).to.equal(1);
    expect(left).not.to.have.property('expires_at');
    expect(await bench.item('crashed')).to.deep.equal(left);
    expect(await store().forget('crashed', { nowMs: stopped.now() + DAY_MS })).to.equal(true);
    const fixed = await call('crashed', () => 'placed', { ...options, clock: manualClock() });
    expect(fixed).to.deep.equal({ status: 'executed', result: 'placed' });
  });
});
