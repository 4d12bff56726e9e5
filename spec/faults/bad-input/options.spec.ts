import { expect } from 'chai';
import fc from 'fast-check';
import { types } from 'node:util';
import { configureIdempotency } from '../../../lib/configuration/configure-idempotency.js';
import { withIdempotency } from '../../../lib/configuration/with-idempotency.js';
import { makeIdempotent } from '../../../lib/decorator/make-idempotent.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { jsonCodec } from '../../../lib/results/json-codec.js';
import { structuredCodec } from '../../../lib/results/structured-codec.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/dynamodb-store.js';
import { MemoryStore } from '../../../lib/store/memory-store.js';
import { systemClock } from '../../../lib/time/clock.js';
import {
  anyInput,
  hostileInputs,
  Sabotage,
  ThornyError,
  valueOf,
  type AnyInput,
} from './hostile-values.js';
import { ObservedCalls, typeOf } from './observed-calls.js';

const sabotage = () => {
  throw new Sabotage('thrown by an option');
};
const proxy = () => new Proxy({}, { get: sabotage, ownKeys: sabotage, getPrototypeOf: sabotage });

/** By name, so that a counterexample can be printed. */
const usable: Readonly<Record<string, unknown>> = {
  'a function that returns a string': () => 'k',
  'a function that returns nothing': () => undefined,
  'a function that returns false': () => false,
  'a function that returns true': () => true,
  'a function that returns a proxy that throws': proxy,
  'a function that throws': sabotage,
  'jsonCodec': jsonCodec, // prettier-ignore
  'structuredCodec': structuredCodec, // prettier-ignore
  'a codec that throws': { name: 'broken', encode: sabotage, decode: sabotage },
  'a codec that encodes to a number': { name: 'odd', encode: () => 5, decode: () => 5 },
  'a codec whose name is no text': { name: 5, encode: () => '', decode: () => '' },
  'a context': { getRemainingTimeInMillis: () => 5000 },
  'a context without time': { getRemainingTimeInMillis: () => NaN },
  'a context that throws': { getRemainingTimeInMillis: sabotage },
  'the clock': systemClock,
  'a client': { send: () => Promise.resolve({}) },
  'a store of junk': new Proxy({}, { get: () => () => 5 }),
};

type Given = AnyInput | { readonly usable: string };

const given: fc.Arbitrary<Given> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ usable: fc.constantFrom(...Object.keys(usable)) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      value: fc.oneof(
        fc.constantFrom('throw', 'run', 'return', 'reject', 'orders', '', 'a#b', true, false),
        fc.constantFrom(0, 1, 2.5, 60, -1, 1e12, NaN, Infinity, 1_764_581_338_123),
        fc.constant(undefined),
      ),
    }),
  },
  { weight: 2, arbitrary: anyInput },
);

const methodOptions = [
  ...['key', 'ttl', 'namespace', 'store', 'table', 'context', 'lease', 'renewFor', 'wait'],
  ...['onMissingKey', 'fingerprint', 'recordResultIf', 'recordErrorIf', 'onExpiredClaim'],
  ...['onStoreUnavailable', 'onCompletionFailure', 'codec', 'onReplay', 'clock', 'enabled'],
];

const optionsOf = (names: readonly string[]) =>
  fc.array(fc.tuple(fc.constantFrom(...names, 'typo', '__proto__'), given), { maxLength: 3 });

type Pairs = readonly (readonly [string, Given])[];

function build(pairs: Pairs): Record<string, unknown> {
  const entries = pairs.map(([name, each]) => [
    name,
    'usable' in each ? usable[each.usable] : valueOf(each),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

/** Options are code: what a getter or proxy among them throws is passed on as it is. */
function isOfItsOwn(error: unknown): boolean {
  try {
    return (
      error instanceof Sabotage ||
      error instanceof ThornyError ||
      (error instanceof Error && error.message.includes('revoked'))
    );
  } catch {
    return true;
  }
}

/** What the proxies of {@link hostileInputs} throw besides: themselves. */
function isNoError(error: unknown): boolean {
  return !types.isNativeError(error);
}

describe('options of any value', () => {
  async function refusedOrProtected(pairs: Pairs): Promise<void> {
    const store = new MemoryStore();
    const options: Record<string, unknown> = { store, key: 'k', ...build(pairs) };
    const calls = new ObservedCalls();
    const call = () => runIdempotent({ orderId: 'o1' }, calls.body, options as never);
    const first = await calls.settle(call);
    const [record] = store.records();
    const seen = JSON.stringify({ first: first.what, runs: calls.runs, record: record?.status });
    if (first.what !== 'executed') {
      expect(calls.runs, seen).to.equal(0);
      expect(store.size, seen).to.equal(0);
      if (isNoError(first.error) || isOfItsOwn(first.error)) return;
      const typed = ['TypeError', 'RangeError', 'ERR_IDEMPOTENCY_KEY', 'ERR_IDEMPOTENCY_STORE'];
      expect(typed, seen).to.include(first.what);
      return;
    }
    expect(calls.runs, seen).to.equal(1);
    if (record === undefined) {
      const { recordResultIf, onMissingKey, onStoreUnavailable } = options;
      const saidSo =
        recordResultIf === usable['a function that returns false'] ||
        (onMissingKey === 'run' && options['key'] !== 'k') ||
        onStoreUnavailable === 'run';
      expect(saidSo, seen).to.equal(true);
      return;
    }
    expect(record.status, seen).to.equal('COMPLETED');
    const second = await calls.settle(call);
    expect(calls.runs, `${seen}, then ${second.what}`).to.equal(1);
    const replays = ['replayed', 'ERR_IDEMPOTENCY_RECORD', 'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE'];
    if (typeof options['onReplay'] === 'function' && isOfItsOwn(second.error)) return;
    expect(replays).to.include(second.what);
  }

  it('are refused with a TypeError or RangeError before anything happens, or protect', async () => {
    const pairs = optionsOf(methodOptions.filter((name) => name !== 'table'));
    await fc.assert(fc.asyncProperty(pairs, refusedOrProtected), { numRuns: 1200 });
  });

  const doors: Readonly<Record<string, (options: unknown) => unknown>> = {
    makeIdempotent: (options) => makeIdempotent(async function pay() {}, options as never),
    configureIdempotency: (options) => {
      configureIdempotency(options as never)();
    },
    withIdempotency: (options) => withIdempotency(options as never, () => undefined),
    MemoryStore: (options) => new MemoryStore(options as never),
    DynamoDBStore: (options) => new DynamoDBStore(options as never),
  };
  const names: Readonly<Record<string, readonly string[]>> = {
    MemoryStore: ['clock', 'clockSkew', 'maxRecords', 'transact'],
    DynamoDBStore: [
      ...['table', 'client', 'clientConfig', 'clockSkew', 'timeout', 'keyPrefix'],
      ...['attributes', 'sortKey', 'readFirst', 'clock'],
    ],
  };

  for (const [title, door] of Object.entries(doors)) {
    const take = (options: unknown): void => {
      try {
        door(options);
      } catch (error) {
        if (isNoError(error) || isOfItsOwn(error)) return;
        if (options === null && error instanceof TypeError) return; // The language's own.
        expect(typeOf(error)).to.be.oneOf(['TypeError', 'RangeError']);
      }
    };

    it(`are refused by ${title} with a TypeError or RangeError, or taken`, () => {
      const pairs = optionsOf(names[title] ?? methodOptions);
      fc.assert(
        fc.property(pairs, (each) => {
          take(build(each));
        }),
        { numRuns: 600 },
      );
    });

    it(`are refused by ${title} where they are no options at all`, () => {
      fc.assert(
        fc.property(fc.oneof(anyInput, fc.constantFrom(...hostileInputs)), (input) => {
          take(valueOf(input));
        }),
        { numRuns: 200 },
      );
    });
  }
});
