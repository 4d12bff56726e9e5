import { expect } from 'chai';
import { IdempotencyStoreError } from '../../lib/errors/index.js';
import { deferred } from '../support/deferred.js';
import { dropped, heldUntil } from '../support/intercepted-store.js';
import { Harness } from '../execution/harness.js';

const never = heldUntil(deferred().promise);

describe('a method that succeeded on a store that falls silent', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  // F03, F40
  it('answers with its result although the completion never gets an answer', async () => {
    harness.store.next('complete', never);

    const call = harness.call(() => 'receipt');
    let outcome: unknown;
    void call.then((value) => (outcome = value));
    await harness.clock.advance(20_000);

    expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
    expect(harness.store.count('release')).to.equal(0);
    expect(harness.clock.pendingTimers).to.equal(0);
    expect(harness.types()).to.include('completion-failed');
  });

  // F44
  it('records its result although a renewal never gets an answer', async () => {
    harness.store.next('renew', never);
    const gate = deferred<string>();

    let outcome: unknown;
    void harness.call(() => gate.promise).then((value) => (outcome = value));
    await harness.clock.advance(20_000);
    gate.resolve('receipt');
    await harness.clock.advance(20_000);

    expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
    expect((await harness.memory.get('o1'))?.status).to.equal('COMPLETED');
    expect(harness.clock.pendingTimers).to.equal(0);
  });

  it('renews again although a renewal never gets an answer', async () => {
    harness.store.next('renew', never);
    const gate = deferred<string>();

    const call = harness.call(() => gate.promise);
    await harness.clock.advance(600_000);

    expect((await harness.call(() => 'second')).status).to.equal('in-progress');
    gate.resolve('receipt');
    await call;
  });

  // F40: Lambda kills a call that still repeats its write at the deadline; its result is lost then.
  it('gives up recording while there is time to answer before the deadline', async () => {
    harness.store.next('complete', ...Array.from({ length: 50 }, () => dropped()));
    const deadlineMs = harness.clock.now() + 3000;
    const context = { getRemainingTimeInMillis: () => deadlineMs - harness.clock.now() };

    let answeredMs = Infinity;
    void harness.call(() => 'receipt', { context }).then(() => (answeredMs = harness.clock.now()));
    await harness.clock.advance(20_000);

    expect(answeredMs).to.be.at.most(deadlineMs - 500);
    expect(harness.store.count('complete')).to.be.greaterThan(2);
  });

  it('stops repeating after ten seconds although the clock is set back', async () => {
    harness.store.next('complete', ...Array.from({ length: 5000 }, () => dropped()));

    let outcome: unknown;
    void harness.call(() => 'receipt').then((value) => (outcome = value));
    await harness.clock.advance(1000);
    harness.clock.set(harness.clock.now() - 3_600_000);
    await harness.clock.advance(12_000);

    expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
  });
});

describe('IdempotencyStoreError of a silent completion', () => {
  it('says that it may have been applied', async () => {
    const harness = new Harness();
    harness.store.next('complete', never);

    let error: unknown;
    harness
      .call(() => 'receipt', { onCompletionFailure: 'throw' })
      .catch((thrown: unknown) => {
        error = thrown;
      });
    await harness.clock.advance(20_000);

    expect(error).to.be.instanceOf(IdempotencyStoreError);
    expect(error).to.include({ operation: 'complete', maybeApplied: true, result: 'receipt' });
    harness.dispose();
  });
});
