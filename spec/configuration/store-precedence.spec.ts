import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import type { DefaultOptions } from '../../lib/configuration/options.js';
import { processState } from '../../lib/configuration/process-state.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { expectRejection } from '../support/expect-rejection.js';

const VARIABLE = 'MAYFLY_IDEMPOTENCY_TABLE';

/** A door, with a store named by the option and by the class where there are such places. */
type Door = (
  named: DefaultOptions,
  ofClass?: { readonly store: IdempotencyStore },
) => () => Promise<unknown>;

const doors: Readonly<Record<string, Door>> = {
  '@Idempotent': (named, ofClass) => {
    class Orders {
      @Idempotent({ key: 'k', namespace: 'orders', ...(named as object) })
      async place(): Promise<string> {
        return Promise.resolve('placed');
      }
    }
    if (ofClass !== undefined) IdempotencyDefaults(ofClass)(Orders);
    const orders = new Orders();
    return () => orders.place();
  },
  makeIdempotent: (named) =>
    makeIdempotent(async () => Promise.resolve('placed'), {
      key: 'k',
      namespace: 'orders',
      ...(named as object),
    }),
  runIdempotent: (named) => {
    const options = { key: 'k', ...(named as object) };
    return () => runIdempotent(undefined, () => 'placed', options);
  },
};

describe('the store of a call', () => {
  let opened: MemoryStore;
  let tables: string[];
  const openers = processState.openDynamoDBStore;

  beforeEach(() => {
    Reflect.deleteProperty(process.env, VARIABLE);
    opened = new MemoryStore();
    tables = [];
    processState.openDynamoDBStore = (table) => {
      tables.push(table);
      return opened;
    };
  });

  afterEach(() => {
    Reflect.deleteProperty(process.env, VARIABLE);
    if (openers === undefined) delete processState.openDynamoDBStore;
    else processState.openDynamoDBStore = openers;
  });

  for (const [door, make] of Object.entries(doors)) {
    describe(door, () => {
      // F86
      it('is the one of the nearest place that names one, looked up at each call', async () => {
        const stores = {
          withIdempotency: new MemoryStore(),
          option: new MemoryStore(),
          class: new MemoryStore(),
          process: new MemoryStore(),
        };
        const sizes = (): number[] => [...Object.values(stores), opened].map(({ size }) => size);
        const hasClass = door === '@Idempotent';
        const bare = make({});
        const ofClass = make({}, { store: stores.class });
        const withOption = make({ store: stores.option }, { store: stores.class });

        process.env[VARIABLE] = 'by-environment';
        await bare();
        expect(sizes()).to.deep.equal([0, 0, 0, 0, 1]);

        const restore = configureIdempotency({ store: stores.process });
        try {
          await bare();
          expect(sizes()).to.deep.equal([0, 0, 0, 1, 1]);
          if (hasClass) {
            await ofClass();
            expect(sizes()).to.deep.equal([0, 0, 1, 1, 1]);
          }
          await withOption();
          expect(sizes()).to.deep.equal([0, 1, hasClass ? 1 : 0, 1, 1]);
          await withIdempotency({ store: stores.withIdempotency }, withOption);
          expect(sizes()).to.deep.equal([1, 1, hasClass ? 1 : 0, 1, 1]);
        } finally {
          restore();
        }
        expect(tables).to.deep.equal(['by-environment']);
      });

      // F87
      it('is on the table that the environment names at the time of the call', async () => {
        const call = make({});
        process.env[VARIABLE] = 'first';
        await call();
        process.env[VARIABLE] = 'second';
        await call();

        expect(tables).to.deep.equal(['first', 'second']);
      });

      it('is on the table that a nearer place names, rather than a farther store', async () => {
        const restore = configureIdempotency({ store: new MemoryStore() });
        await make({ table: 'orders' })().finally(restore);

        expect(tables).to.deep.equal(['orders']);
      });

      // F86
      it('must exist: the error names the call and all five places, and nothing has run', async () => {
        const error = await expectRejection(make({})(), TypeError);

        expect(error.message).to.match(
          /^No idempotency store \(.+\)\. Name one in any of these places/u,
        );
        for (const place of [
          'withIdempotency({ store }, fn)',
          'the option `store` or `table`',
          '@IdempotencyDefaults({ store })',
          'configureIdempotency({ store })',
          'MAYFLY_IDEMPOTENCY_TABLE',
        ]) {
          expect(error.message).to.include(place);
        }
      });

      it('must exist where the variable is empty', async () => {
        process.env[VARIABLE] = '';

        await expectRejection(make({})(), TypeError);
      });

      for (const [what, returned] of [
        ['undefined', undefined],
        ['null', null],
        ['an object', { claim: () => undefined }],
        ['"orders"', 'orders'],
        ['an object', Promise.resolve(new MemoryStore())],
      ] as const) {
        it(`must be a store when a function returns it, and not ${what}`, async () => {
          const call = make({ store: () => returned as unknown as IdempotencyStore });

          const error = await expectRejection(call(), TypeError);

          expect(error.message).to.match(
            /^Expected the `store` function to return a store, got .* \(.+\)$/u,
          );
          expect(error.message).to.include(`got ${what} (`);
        });
      }

      it('is missed where its function throws, whose error is the cause', async () => {
        const cause = new Error('not configured');
        const call = make({
          store: () => {
            throw cause;
          },
        });

        const error = await expectRejection(call(), TypeError);

        expect(error.message).to.match(/^The `store` function threw \(.+\)$/u);
        expect(error.cause).to.equal(cause);
      });

      // F87
      it('is made by its function at the first call, and asked for at each', async () => {
        const stores: MemoryStore[] = [];
        const call = make({
          store: () => {
            stores.push(new MemoryStore());
            return stores.at(-1)!;
          },
        });
        expect(stores).to.have.lengthOf(0);

        await call();
        await call();

        expect(stores.map(({ size }) => size)).to.deep.equal([1, 1]);
      });
    });
  }

  // F86
  it('is missed with a word on binding where the method lost its instance', async () => {
    const shop = {
      store: new MemoryStore(),
    };
    class Shop {
      readonly idem = shop.store;
      @Idempotent({ key: 'k', namespace: 'shop', store: (self: Shop) => self.idem })
      async buy(): Promise<void> {
        return Promise.resolve();
      }
    }
    const { buy } = Shop.prototype;

    const error = await expectRejection(Reflect.apply(buy, undefined, []), TypeError);

    expect(error.message).to.match(
      /^Called without its instance, which `store` needs; bind it, as in `handler\.handle\.bind\(handler\)` \(@Idempotent on (Shop\.)?buy\)$/u,
    );
    await buy.bind(new Shop())();
    expect(shop.store.size).to.equal(1);
  });
});
