import { expect } from 'chai';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import type { Claim, ClaimRequest } from '../../../lib/store/idempotency-store.js';
import { describeStoreContract } from '../../../lib/testing/index.js';
import type { Engine } from '../../support/engines/engine.js';
import type { EngineTraits } from './engine-suite.js';
import { EngineBench } from './engine-bench.js';

const CLOCK_SKEW_SECONDS = 1;
const NOW_MS = Date.UTC(2031, 0, 1) + 123;

/** The store contract and the number of requests, for a store that reads before it claims. */
export function describeReadFirst(
  start: () => Promise<Engine>,
  traits: Pick<EngineTraits, 'returnsItem'>,
): void {
  const bench = new EngineBench().runs(start);
  const make = () =>
    new DynamoDBStore({
      table: bench.table,
      client: bench.running.recording,
      clockSkew: CLOCK_SKEW_SECONDS,
      readFirst: true,
    });

  describeStoreContract('DynamoDBStore', {
    ...bench.harness(CLOCK_SKEW_SECONDS),
    create: () => ({ store: make() }),
  });

  it('makes one request for a replay, and one more than without it for every other claim', async () => {
    const store = make();
    const reads = traits.returnsItem ? [] : ['GetItem'];
    const request = (): ClaimRequest => ({
      id: 'requests',
      token: String(Math.random()),
      nowMs: NOW_MS,
      ttlMs: 60_000,
      inProgressUntilMs: NOW_MS + 30_000,
      onExpiredClaim: 'run',
    });
    let claim: Claim | undefined;

    const first = await bench.requestsOf(async () => {
      const outcome = await store.claim(request());
      if (!outcome.claimed) throw new Error('Refused');
      claim = outcome.claim;
    });
    const inProgress = await bench.requestsOf(() => store.claim(request()));
    if (claim === undefined) throw new Error('Not claimed');
    await store.complete(claim, { status: 'COMPLETED', nowMs: NOW_MS, ttlMs: 60_000, result: '1' });
    const replay = await bench.requestsOf(() => store.claim(request()));

    expect({ first, inProgress, replay }).to.deep.equal({
      first: ['GetItem', 'PutItem'],
      inProgress: ['GetItem', 'PutItem', ...reads],
      replay: ['GetItem'],
    });
  });
}
