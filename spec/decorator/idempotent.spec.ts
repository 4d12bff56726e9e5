import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { IdStore } from './support.js';

interface OrderEvent {
  readonly orderId: string;
}

describe('Idempotent', () => {
  let store: MemoryStore;
  let runs: unknown[][];

  beforeEach(() => {
    store = new MemoryStore();
    runs = [];
  });

  describe('a decorated method', () => {
    it('runs once per key and replays its result', async () => {
      class Orders {
        @Idempotent({ key: (e) => e.orderId, ttl: 3600, store: () => store })
        async place(event: OrderEvent): Promise<{ placed: string }> {
          runs.push([event]);
          return Promise.resolve({ placed: event.orderId });
        }
      }
      const orders = new Orders();

      const first = await orders.place({ orderId: 'o1' });
      const second = await orders.place({ orderId: 'o1' });
      const other = await orders.place({ orderId: 'o2' });

      expect([first, second, other]).to.deep.equal([
        { placed: 'o1' },
        { placed: 'o1' },
        { placed: 'o2' },
      ]);
      expect(runs).to.have.lengthOf(2);
    });

    it('runs with its own this and all arguments, undeclared ones too', async () => {
      class Inventory {
        readonly log = runs;
        @Idempotent({ key: 'k', store: () => store })
        async reserve(_sku: string): Promise<void> {
          // eslint-disable-next-line prefer-rest-params -- what the caller passed beyond the declared
          this.log.push([...arguments]);
          return Promise.resolve();
        }
      }
      const inventory = new Inventory();

      await Reflect.apply(inventory.reserve, inventory, ['sku', 2, 'callback']);

      expect(runs).to.deep.equal([['sku', 2, 'callback']]);
    });

    it('keeps two instances apart only by key', async () => {
      class Ledger {
        constructor(readonly owner: string) {}
        @Idempotent({ key: (n) => n, store: () => store })
        async post(amount: number): Promise<string> {
          runs.push([amount]);
          return Promise.resolve(this.owner);
        }
      }

      expect(await new Ledger('a').post(1)).to.equal('a');
      expect(await new Ledger('b').post(1)).to.equal('a');
      expect(await new Ledger('b').post(2)).to.equal('b');
      expect(runs).to.deep.equal([[1], [2]]);
    });

    // F67
    it('keeps name and length', () => {
      class Handler {
        @Idempotent({ store: () => store })
        async handle(_event: OrderEvent, _context: object): Promise<void> {
          return Promise.resolve();
        }
        @Idempotent({ store: () => store })
        static async [Symbol('refund')](_event: OrderEvent): Promise<void> {
          return Promise.resolve();
        }
      }
      const [symbol] = Object.getOwnPropertySymbols(Handler).filter(
        (each) => each.description === 'refund',
      );
      const refund = (Handler as unknown as Record<symbol, () => unknown>)[symbol!];

      expect(Handler.prototype.handle).to.include({ name: 'handle', length: 2 });
      expect(refund).to.include({ name: '[refund]', length: 1 });
      expect(new Handler().handle.bind(undefined)).to.have.lengthOf(2);
    });

    it('stays a method: not enumerable, not a constructor', () => {
      class Shelf {
        @Idempotent()
        async stock(): Promise<void> {
          return Promise.resolve();
        }
      }
      const stock = Shelf.prototype.stock as unknown as new () => unknown;

      expect(Object.keys(Shelf.prototype)).to.deep.equal([]);
      expect(Object.hasOwn(stock, 'prototype')).to.equal(false);
      expect(() => new stock()).to.throw(TypeError, /not a constructor/u);
    });

    it("rejects with the method's own error and runs again", async () => {
      const failure = new Error('no stock');
      class Pick {
        @Idempotent({ key: 'k', store: () => store })
        async pick(): Promise<string> {
          runs.push([]);
          return runs.length === 1 ? Promise.reject(failure) : Promise.resolve('picked');
        }
      }
      const pick = new Pick();

      expect(await expectRejection(pick.pick())).to.equal(failure);
      expect(await pick.pick()).to.equal('picked');
    });

    // F59
    it('turns a synchronous throw and a result that is no promise into a promise', async () => {
      class Sloppy {
        @Idempotent({ key: 'throws', store: () => store })
        throws(): Promise<void> {
          throw new RangeError('at once');
        }
        @Idempotent({ key: 'returns', store: () => store })
        returns(): Promise<number> {
          return 5 as unknown as Promise<number>;
        }
      }
      const sloppy = new Sloppy();

      await expectRejection(sloppy.throws(), RangeError);
      expect(await sloppy.returns()).to.equal(5);
      expect(await sloppy.returns()).to.equal(5);
    });
  });

  describe('key', () => {
    // F81
    it('takes any argument, and this', async () => {
      const ids = new IdStore();
      class Teller {
        readonly tenant = 't1';
        @Idempotent({ key: (id) => id, namespace: 'first', store: ids })
        async first(_id: string, _amount: number): Promise<void> {
          return Promise.resolve();
        }
        @Idempotent({ key: (_a, _b, c) => c, namespace: 'third', store: ids })
        async third(_a: string, _b: number, _c: string): Promise<void> {
          return Promise.resolve();
        }
        @Idempotent({
          key(id) {
            return `${this.tenant}/${id}`;
          },
          namespace: 'own',
          store: ids,
        })
        async own(_id: string): Promise<void> {
          return Promise.resolve();
        }
      }
      const teller = new Teller();

      await teller.first('o1', 5);
      await teller.third('a', 2, 'c3');
      await teller.own('o1');

      expect(ids.ids).to.deep.equal(['first#o1', 'third#c3', 'own#t1/o1']);
    });
  });

  describe('store', () => {
    // F86
    it('is asked for at each call, with the instance', async () => {
      class Injected {
        idem: IdempotencyStore | undefined;
        @Idempotent({ key: 'k', store: (self) => self.idem! })
        async run(): Promise<void> {
          runs.push([]);
          return Promise.resolve();
        }
      }
      const injected = new Injected();

      const missing = await expectRejection(injected.run(), TypeError);
      expect(missing.message).to.match(/return a store.*\(@Idempotent on Injected\.run\)/u);
      expect(runs).to.have.lengthOf(0);
      injected.idem = store;
      await injected.run();
      await injected.run();
      injected.idem = new MemoryStore();
      await injected.run();

      expect(runs).to.have.lengthOf(2);
    });

    // F86
    it('may be a process default that is set after the class is defined', async () => {
      class Later {
        @Idempotent({ key: 'k' })
        async run(): Promise<void> {
          runs.push([]);
          return Promise.resolve();
        }
      }
      const later = new Later();

      const none = await expectRejection(later.run(), TypeError);
      expect(none.message).to.match(/No idempotency store \(@Idempotent on Later\.run\)/u);
      const restore = configureIdempotency({ store });
      await later.run().finally(restore);

      expect(runs).to.have.lengthOf(1);
      expect(store.size).to.equal(1);
    });

    it('is swapped by withIdempotency although the method names its own', async () => {
      const swapped = new MemoryStore();
      class Swapped {
        @Idempotent({ key: 'k', store: () => store })
        async run(): Promise<void> {
          return Promise.resolve();
        }
      }

      await withIdempotency({ store: swapped }, () => new Swapped().run());

      expect([store.size, swapped.size]).to.deep.equal([0, 1]);
    });
  });

  describe('the Lambda context', () => {
    // F36
    it('bounds the claim of a bound handler, also between other decorators', async () => {
      const clock = manualClock();
      const gate = deferred();
      const ids = new IdStore({ clock });
      const restore = configureIdempotency({ clock });
      class Handler {
        @passThrough
        @Idempotent({ key: (e) => e.orderId, namespace: 'handler', store: ids })
        @passThrough
        async handle(_event: OrderEvent, _context: object): Promise<void> {
          await gate.promise;
        }
      }
      const instance = new Handler();
      const handle = instance.handle.bind(instance);

      const running = handle({ orderId: 'o1' }, { getRemainingTimeInMillis: () => 12_345 });
      const record = await ids.get('handler#o1');

      expect(record?.inProgressUntilMs).to.equal(clock.now() + 12_345);
      gate.resolve();
      await running.finally(restore);
    });
  });

  describe('options', () => {
    it('are checked when the class is defined, and the message says where', () => {
      const define = (): unknown => {
        class Strict {
          @Idempotent({ ttl: -1 })
          static async handle(): Promise<void> {
            return Promise.resolve();
          }
        }
        return Strict;
      };

      expect(define).to.throw(
        RangeError,
        /^Expected `ttl` to be a positive number of seconds, got -1 \(@Idempotent on (Strict\.)?static\.handle\)$/u,
      );
    });

    it('do not change with the object they were given in', async () => {
      const options = { key: 'k', namespace: 'before', store: new IdStore() };
      class Frozen {
        @Idempotent(options)
        async run(): Promise<void> {
          return Promise.resolve();
        }
      }
      options.namespace = 'after';

      await new Frozen().run();

      expect(options.store.ids).to.deep.equal(['before#k']);
    });
  });
});

/** A decorator of somebody else's, for either dialect, that wraps the method in its own function. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- takes what either compiler hands it
function passThrough(...args: any[]): any {
  const [value, second, descriptor] = args as [unknown, unknown, PropertyDescriptor | undefined];
  const wrap = (method: unknown) =>
    function (this: unknown, ...rest: unknown[]): unknown {
      return Reflect.apply(method as () => unknown, this, rest);
    };
  if (typeof second === 'object') return wrap(value);
  return { ...descriptor, value: wrap(descriptor?.value) };
}
