import { expect } from 'chai';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { deferred } from '../support/deferred.js';
import { dropped, heldUntil, type Interceptor } from '../support/intercepted-store.js';
import { Harness } from '../execution/harness.js';

const never = heldUntil(deferred().promise);

/** A store as others write them: `complete` returns whatever `completes` makes. */
function withCompletion(store: IdempotencyStore, completes: () => unknown): IdempotencyStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'complete') return completes;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

describe('a store whose promises are thenables of its own', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  async function outcomeWith(then: (resolve: (value: unknown) => void) => void): Promise<unknown> {
    const store = withCompletion(harness.store, () => ({ then }));
    let outcome: unknown;
    void harness.call(() => 'receipt', {}, { store }).then((value) => (outcome = value));
    await harness.clock.advance(60_000);
    return outcome;
  }

  it('is not waited for without end where one resolves to a promise that never settles', async () => {
    const outcome = await outcomeWith((resolve) => {
      resolve(new Promise(() => undefined));
    });

    expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
    expect(harness.types()).to.include('completion-failed');
  });

  it('leaves no timer behind where `then` throws', async () => {
    const store = withCompletion(harness.store, () => ({
      then: () => {
        throw new TypeError('no query');
      },
    }));

    const outcome = await harness.call(() => 'receipt', {}, { store });

    expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
    expect(harness.clock.pendingTimers).to.equal(0);
  });
});

describe('the timeoutMs of a store that is no promise', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  async function outcomeWith(timeoutMs: PropertyDescriptor, complete: Interceptor) {
    Object.defineProperty(harness.store, 'timeoutMs', { configurable: true, ...timeoutMs });
    harness.store.next('complete', complete);
    let outcome: unknown;
    harness
      .call(() => 'receipt')
      .then(
        (value) => (outcome = value),
        (error: unknown) => (outcome = error),
      );
    await harness.clock.advance(60_000);
    return outcome;
  }

  // A timeout of 0 is no timeout in most clients.
  for (const timeoutMs of [0, -1, '5000']) {
    it(`${JSON.stringify(timeoutMs)} leaves the engine's own bound`, async () => {
      const outcome = await outcomeWith({ value: timeoutMs }, never);

      expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
    });
  }

  it('costs nobody a result that cannot be read', async () => {
    const get = (): never => {
      throw new Error('no settings yet');
    };

    const outcome = await outcomeWith({ get }, dropped());

    expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
    expect((await harness.memory.get('o1'))?.status).to.equal('COMPLETED');
  });

  it('costs nobody a result that cannot be compared', async () => {
    const outcome = await outcomeWith({ value: Symbol('5 s') }, dropped());

    expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt' });
  });
});
