import { expect } from 'chai';
import { IdempotencyStoreError } from '../../lib/errors/index.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { appliedThen, dropped } from '../support/intercepted-store.js';
import { Harness } from '../execution/harness.js';

const LEASE_MS = 60_000;

function throttled(): IdempotencyStoreError {
  return new IdempotencyStoreError('throttled', {
    operation: 'renew',
    retryable: true,
    maybeApplied: false,
  });
}

describe('a claim that came too late', () => {
  let harness: Harness;
  let runs: number;
  const body = (): string => `receipt ${String((runs += 1))}`;

  beforeEach(() => {
    harness = new Harness();
    runs = 0;
    harness.store.next(
      'claim',
      appliedThen(() => harness.clock.advance(LEASE_MS)),
    );
  });

  afterEach(() => {
    harness.dispose();
  });

  // Nobody ran: an operator must not be asked to find out what happened.
  it('is given back when its renewal is refused by a throttled store', async () => {
    harness.store.next('renew', dropped(throttled()));

    const error = await expectRejection(
      harness.call(body, { onExpiredClaim: 'reject' }),
      IdempotencyStoreError,
    );

    expect(error).to.include({ operation: 'claim', retryable: true });
    expect(harness.memory.size).to.equal(0);
    await harness.clock.advance(1);
    expect((await harness.call(body, { onExpiredClaim: 'reject' })).status).to.equal('executed');
    expect(runs).to.equal(1);
  });

  it('is given back when a later round is refused by a throttled store', async () => {
    harness.store
      .next(
        'renew',
        appliedThen(() => harness.clock.advance(LEASE_MS)),
      )
      .next('claim', dropped(throttled()));

    await expectRejection(harness.call(body, { onExpiredClaim: 'reject' }), IdempotencyStoreError);

    expect(harness.memory.size).to.equal(0);
  });

  it('is completed when its renewal is refused and the call fails open', async () => {
    harness.store.next('renew', dropped(throttled()));

    await harness.call(body, { onStoreUnavailable: 'run' });

    expect((await harness.call(body)).status).to.equal('replayed');
    expect(runs).to.equal(1);
  });

  it('ends as in progress after three rounds although it cannot be given back', async () => {
    const late = appliedThen(() => harness.clock.advance(LEASE_MS));
    harness.store
      .next('claim', late, late)
      .next('renew', late, late, late)
      .next('release', dropped());

    const outcome = await harness.call(body, { onStoreUnavailable: 'run' });

    expect(outcome.status).to.equal('in-progress');
    expect(runs).to.equal(0);
  });
});

describe('a claim that came late, but in time', () => {
  // F13
  it('is renewed before it lapses', async () => {
    const harness = new Harness();
    const reply = deferred();
    const gate = deferred<string>();
    harness.store.next(
      'claim',
      appliedThen(() => reply.promise),
    );

    const first = harness.call(() => gate.promise);
    await harness.clock.advance(0.9 * LEASE_MS);
    reply.resolve();
    await harness.clock.advance(0.2 * LEASE_MS);

    expect((await harness.call(() => 'second')).status).to.equal('in-progress');
    gate.resolve('first');
    expect(await first).to.include({ status: 'executed', result: 'first' });
    harness.dispose();
  });
});

describe('a store that answers a claim with somebody else’s', () => {
  it('does not make the method run', async () => {
    const harness = new Harness();
    let runs = 0;
    harness.store.next('claim', async (forward) => {
      const outcome = (await forward()) as { claim: object };
      return { claimed: true, claim: { ...outcome.claim, token: 'another call' } };
    });

    await expectRejection(
      harness.call(() => (runs += 1)),
      IdempotencyStoreError,
    );

    expect(runs).to.equal(0);
    expect(harness.memory.size).to.equal(0);
    harness.dispose();
  });
});
