import { expect } from 'chai';
import {
  IdempotencyKeyError,
  IdempotencyRecordError,
  IdempotencyResultUnavailableError,
  IdempotencyStoreError,
} from '../../lib/errors/index.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import type { IdempotencyRecord } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { expectRejection } from '../support/expect-rejection.js';

/** Things that throw once more when somebody looks at what was thrown. */
const thorns: Readonly<Record<string, () => unknown>> = {
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'an error whose name is a getter that throws': () =>
    Object.defineProperty(new Error(), 'name', {
      get() {
        throw new Error('thorn');
      },
    }),
  'an error whose name is a symbol': () => Object.assign(new Error(), { name: Symbol('name') }),
};

function throwing(value: unknown): () => never {
  return () => {
    throw value;
  };
}

describe('a call with input that throws', () => {
  for (const [title, thorn] of Object.entries(thorns)) {
    it(`is refused with a key error where the key function throws ${title}`, async () => {
      const store = new MemoryStore();
      const cause = thorn();
      const call = runIdempotent({}, () => 'run', { key: throwing(cause), store });

      const error = await expectRejection(call, IdempotencyKeyError);
      expect(error.cause === cause).to.equal(true);
      expect(store.size).to.equal(0);
    });

    it(`is refused with a key error where toJSON throws ${title}`, async () => {
      const store = new MemoryStore();
      const payload = { toJSON: throwing(thorn()) };
      for (const options of [{ store }, { key: () => payload as never, store }]) {
        await expectRejection(
          runIdempotent(payload, () => 'run', options),
          IdempotencyKeyError,
        );
      }
      expect(store.size).to.equal(0);
    });
  }
});

describe('a store that rejects with what throws', () => {
  for (const [title, thorn] of Object.entries(thorns)) {
    it(`becomes one store error, without a run: ${title}`, async () => {
      const store = Object.assign(new MemoryStore(), { claim: () => Promise.reject(thorn()) });
      let runs = 0;
      const call = runIdempotent({}, () => (runs += 1), { key: 'k', store });

      const error = await expectRejection(call, IdempotencyStoreError);

      expect(error.operation).to.equal('claim');
      expect(runs).to.equal(0);
    });
  }
});

describe('a record that a store made up', () => {
  const expiresAtMs = Date.now() + 3_600_000;
  const seeded = (wrong: object): MemoryStore => {
    const store = new MemoryStore();
    const record = { id: 'k', status: 'COMPLETED', expiresAtMs, result: '"x"', ...wrong };
    store.seed(record as IdempotencyRecord);
    return store;
  };

  const wrong: Readonly<Record<string, object>> = {
    'an encoding that is no text': { encoding: 5 },
    'an error that is none': { status: 'FAILED', error: ['declined'] },
  };
  for (const [title, members] of Object.entries(wrong)) {
    it(`is refused with a record error where it has ${title}`, async () => {
      const store = seeded(members);
      await expectRejection(
        runIdempotent({}, () => 'run', { key: 'k', store }),
        IdempotencyRecordError,
      );
    });
  }

  it('is replayed without the time of its completion where that is no number', async () => {
    const store = seeded({ completedAtMs: Object.create(null) as unknown });
    const outcome = await runIdempotent({}, () => 'run', { key: 'k', store });
    expect(outcome).to.deep.equal({ status: 'replayed', result: 'x', completedAt: undefined });
  });

  it('gives its typed error without the time of its completion where that is no number', async () => {
    const store = new MemoryStore();
    const junk = [Object.create(null)] as unknown as number;
    store.seed({
      id: 'k',
      status: 'COMPLETED',
      expiresAtMs: Date.now() + 60_000,
      completedAtMs: junk,
      resultOmitted: 'too-large',
    });

    const call = runIdempotent({}, () => 'run', { key: 'k', store });
    const error = await expectRejection(call, IdempotencyResultUnavailableError);
    expect(error.completedAt).to.equal(undefined);
  });
});
