import { expect } from 'chai';
import fc from 'fast-check';
import type { CallOptions } from '../../../lib/configuration/options.js';
import { makeIdempotent } from '../../../lib/decorator/make-idempotent.js';
import { isIdempotencyKeyError } from '../../../lib/errors/index.js';
import type { Outcome } from '../../../lib/execution/outcome.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { MemoryStore } from '../../../lib/store/memory-store.js';
import { anyInput, hostileInputs, valueOf, type AnyInput } from './hostile-values.js';
import { ObservedCalls, typeOf } from './observed-calls.js';

const KEY_ERROR = 'ERR_IDEMPOTENCY_KEY';
type Options = CallOptions<undefined, [payload: unknown], string>;

/** Where the value of an input goes. */
const doors: Readonly<Record<string, (value: unknown) => { payload: unknown; options: Options }>> =
  {
    'as what the key function returns': (value) => ({
      payload: {},
      options: { key: () => value },
    }),
    'as what the key function throws': (value) => ({
      payload: {},
      options: {
        key: () => {
          throw value;
        },
      },
    }),
    'as the payload': (value) => ({ payload: value, options: {} }),
    'as the payload that the key is taken from': (value) => ({
      payload: value,
      options: { key: (payload) => (payload as { orderId: string }).orderId },
    }),
    'as what the fingerprint function returns': (value) => ({
      payload: {},
      options: { key: 'k', fingerprint: () => value },
    }),
    'as what the fingerprint function throws': (value) => ({
      payload: {},
      options: {
        key: 'k',
        fingerprint: () => {
          throw value;
        },
      },
    }),
  };

/** Two calls with the same value: refused before the store is touched, or run once. */
async function refusedOrRunOnce(input: AnyInput, door: (typeof doors)[string]): Promise<void> {
  const { payload, options } = door(valueOf(input));
  const store = new MemoryStore();
  const calls = new ObservedCalls();
  const call = (): Promise<Outcome<string>> =>
    runIdempotent(payload, calls.body, { ...options, store });
  const first = await calls.settle(call);
  const second = await calls.settle(call);

  const seen = { first: first.what, second: second.what, runs: calls.runs, kept: store.size };
  expect(seen).to.deep.equal(
    first.what === KEY_ERROR
      ? { first: KEY_ERROR, second: KEY_ERROR, runs: 0, kept: 0 }
      : { first: 'executed', second: 'replayed', runs: 1, kept: 1 },
  );
}

describe('any value whatever', () => {
  for (const [title, door] of Object.entries(doors)) {
    it(`is refused with a key error or protected ${title}`, async () => {
      for (const input of hostileInputs) {
        await refusedOrRunOnce(input, door).catch((error: unknown) => {
          throw new Error(`${JSON.stringify(input)}: ${String(error)}`, { cause: error });
        });
      }
      await fc.assert(
        fc.asyncProperty(anyInput, (input) => refusedOrRunOnce(input, door)),
        { numRuns: 200 },
      );
    });
  }

  it('is refused with a key error or protected among the arguments of a function', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyInput, { maxLength: 4 }), async (inputs) => {
        const store = new MemoryStore();
        let runs = 0;
        const call = makeIdempotent(
          async function place(..._args: unknown[]) {
            runs += 1;
            return 'done';
          },
          { store, namespace: 'orders' },
        );
        const args = inputs.map(valueOf);
        const types = (await Promise.allSettled([call(...args), call(...args)])).map((settled) =>
          settled.status === 'fulfilled' ? settled.value : typeOf(settled.reason),
        );
        // The second of two at once finds the first in progress.
        expect({ types, runs, kept: store.size }).to.deep.equal(
          types[0] === KEY_ERROR
            ? { types: [KEY_ERROR, KEY_ERROR], runs: 0, kept: 0 }
            : { types: ['done', 'ERR_IDEMPOTENCY_IN_PROGRESS'], runs: 1, kept: 1 },
        );
      }),
      { numRuns: 200 },
    );
  });

  it('runs unprotected only where it is missing and `onMissingKey` says so', async () => {
    const property = async (input: AnyInput): Promise<void> => {
      const value = valueOf(input);
      const store = new MemoryStore();
      const calls = new ObservedCalls();
      const call = (onMissingKey: 'throw' | 'run') => (): Promise<Outcome<string>> =>
        runIdempotent({}, calls.body, { key: () => value as never, store, onMissingKey });
      const { error } = await calls.settle(call('throw'));
      const missing = isIdempotencyKeyError(error) && error.missing;
      calls.runs = 0;
      store.clear();

      const twice = [await calls.settle(call('run')), await calls.settle(call('run'))];
      const whats = twice.map(({ what }) => what);
      const seen = { whats, runs: calls.runs, kept: store.size };
      if (missing) {
        expect(seen).to.deep.equal({ whats: ['executed', 'executed'], runs: 2, kept: 0 });
      } else if (error !== undefined) {
        expect(seen).to.deep.equal({ whats: [KEY_ERROR, KEY_ERROR], runs: 0, kept: 0 });
      } else expect(seen).to.deep.equal({ whats: ['executed', 'replayed'], runs: 1, kept: 1 });
    };
    await fc.assert(fc.asyncProperty(anyInput, property), { numRuns: 300 });
  });
});
