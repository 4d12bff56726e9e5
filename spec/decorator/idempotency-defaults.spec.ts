import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { IdStore } from './support.js';

describe('IdempotencyDefaults', () => {
  let store: IdStore;
  let other: IdStore;

  beforeEach(() => {
    store = new IdStore();
    other = new IdStore();
  });

  it('apply to the methods of the class, static ones too', async () => {
    @IdempotencyDefaults({ store: () => store })
    class Shop {
      @Idempotent({ key: 'k' })
      async open(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ key: 'k' })
      static async close(): Promise<void> {
        return Promise.resolve();
      }
    }

    await new Shop().open();
    await Shop.close();

    expect(store.ids).to.deep.equal(['Shop.open#k', 'Shop.static.close#k']);
  });

  it('lose to the method and win over the process', async () => {
    const restore = configureIdempotency({ store: new IdStore(), ttl: 1 });
    @IdempotencyDefaults({ store: () => store, ttl: 60 })
    class Market {
      @Idempotent({ key: 'k' })
      async day(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ key: 'k', store: () => other })
      async night(): Promise<void> {
        return Promise.resolve();
      }
    }

    await new Market().day();
    await new Market().night().finally(restore);
    const record = await store.get('Market.day#k');

    expect(store.ids).to.deep.equal(['Market.day#k']);
    expect(other.ids).to.deep.equal(['Market.night#k']);
    expect((record?.expiresAtMs ?? 0) - (record?.completedAtMs ?? 0)).to.be.at.least(60_000);
  });

  it('reach subclasses, whose own come first, for inherited methods too', async () => {
    @IdempotencyDefaults({ store: () => store, onMissingKey: 'run' })
    class Animal {
      runs = 0;
      @Idempotent({ key: () => undefined })
      async keyless(): Promise<void> {
        this.runs += 1;
        return Promise.resolve();
      }
      @Idempotent({ key: 'k' })
      async eat(): Promise<void> {
        return Promise.resolve();
      }
    }
    @IdempotencyDefaults({ store: () => other })
    class Cat extends Animal {}
    class Lion extends Cat {}
    const lion = new Lion();

    await lion.eat();
    await lion.keyless();
    await new Animal().eat();

    expect(other.ids).to.deep.equal(['Animal.eat#k']);
    expect(store.ids).to.deep.equal(['Animal.eat#k']);
    expect(lion.runs).to.equal(1);
  });

  it("give their namespace to the class's own methods and not to those of subclasses", async () => {
    @IdempotencyDefaults({ store: () => store, namespace: 'vehicles' })
    class Vehicle {
      @Idempotent({ key: 'k' })
      async start(): Promise<void> {
        return Promise.resolve();
      }
    }
    class Truck extends Vehicle {
      @Idempotent({ key: 'k' })
      async load(): Promise<void> {
        return Promise.resolve();
      }
    }
    @IdempotencyDefaults({ namespace: 'cars' })
    class Car extends Vehicle {
      @Idempotent({ key: 'k' })
      async drive(): Promise<void> {
        return Promise.resolve();
      }
    }

    await new Truck().start();
    await new Truck().load();
    await new Car().start();
    await new Car().drive();

    expect(store.ids).to.deep.equal([
      'vehicles.start#k',
      'Truck.load#k',
      'vehicles.start#k',
      'cars.drive#k',
    ]);
  });

  it('apply to a method called without its instance', async () => {
    @IdempotencyDefaults({ store: () => store })
    class Detached {
      @Idempotent({ key: 'k', namespace: 'detached' })
      async run(): Promise<void> {
        return Promise.resolve();
      }
    }
    const { run } = Detached.prototype;

    await Reflect.apply(run, undefined, []);

    expect(store.ids).to.deep.equal(['detached#k']);
  });

  it('find a store of the instance', async () => {
    @IdempotencyDefaults({ store: (self) => self.idem })
    class WithStore {
      constructor(readonly idem: IdStore) {}
      @Idempotent({ key: 'k' })
      async run(): Promise<void> {
        return Promise.resolve();
      }
    }

    await new WithStore(store).run();
    await new WithStore(other).run();

    expect([store.size, other.size]).to.deep.equal([1, 1]);
  });

  describe('refuse', () => {
    it('wrong options, when the class is defined', () => {
      const define = (): unknown => {
        @IdempotencyDefaults({ ttl: 0 })
        class Shop {}
        return Shop;
      };

      expect(define).to.throw(RangeError, /`ttl`.*got 0 \(@IdempotencyDefaults on Shop\)/u);
    });

    it('members', () => {
      const define = (): unknown => {
        class Shop {
          // @ts-expect-error a method is no class
          @IdempotencyDefaults({ ttl: 1 })
          async open(): Promise<void> {
            return Promise.resolve();
          }
        }
        return Shop;
      };

      expect(define).to.throw(TypeError, /Expected a class.*\(@IdempotencyDefaults on open\)/u);
    });

    it('to be used without parentheses', () => {
      const define = (): unknown => {
        // @ts-expect-error it is a factory
        @IdempotencyDefaults
        class Shop {}
        return Shop;
      };

      expect(define).to.throw(TypeError, /write @IdempotencyDefaults\(\).*on Shop\)/u);
    });
  });
});
