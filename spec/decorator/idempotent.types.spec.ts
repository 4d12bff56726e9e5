import { expect } from 'chai';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { jsonCodec } from '../../lib/results/json-codec.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';

/*
 * The compiler is what runs these: ts-node checks this file in each dialect before mocha sees it, and
 * a `@ts-expect-error` that expects nothing is an error itself.
 */

type Equal<X, Y> =
  (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false;

/** Compiles only when the value's type is exactly `T`, which rules out `any`. */
function exactly<T>() {
  return <U>(value: U & (Equal<T, U> extends true ? unknown : never)): U => value;
}

interface OrderEvent {
  readonly orderId: string;
  readonly tenantId: string;
}

class Receipt {
  constructor(readonly total: number) {}
}

describe('the types of Idempotent', () => {
  it('flow from the method into the options', () => {
    class Orders {
      readonly store: IdempotencyStore = new MemoryStore();
      readonly tenant = 't1' as string;
      static readonly shared: IdempotencyStore = new MemoryStore();

      @Idempotent({ key: (e) => e.orderId, ttl: 3600 })
      async place(event: OrderEvent, _context: object): Promise<{ status: string }> {
        return Promise.resolve({ status: event.orderId });
      }

      @Idempotent({
        key: (e, count) => [exactly<OrderEvent>()(e).orderId, exactly<number>()(count)],
        store: (self) => exactly<Orders>()(self).store,
        fingerprint: (e) => exactly<OrderEvent>()(e),
        recordResultIf: (result) => exactly<Receipt>()(result).total > 0,
        onReplay: (result) => new Receipt(exactly<Receipt>()(result).total),
        context: (_e, count) => ({ getRemainingTimeInMillis: () => exactly<number>()(count) }),
      })
      async reserve(_event: OrderEvent, count: number): Promise<Receipt> {
        return Promise.resolve(new Receipt(count));
      }

      @Idempotent({
        key(e) {
          return [exactly<string>()(this.tenant), exactly<OrderEvent>()(e).orderId];
        },
      })
      async ofTenant(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }

      @Idempotent({ key: (e) => e.orderId, store: (self) => exactly<typeof Orders>()(self).shared })
      static async cancel(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }

      @Idempotent({ key: (e) => exactly<OrderEvent>()(e).orderId })
      async [Symbol.toPrimitive](_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }

      @Idempotent({ key: (e: { orderId: string }) => e.orderId })
      async annotated(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }

      @Idempotent({ key: (e) => exactly<OrderEvent | undefined>()(e)?.orderId })
      async optional(_event?: OrderEvent): Promise<void> {
        return Promise.resolve();
      }

      @Idempotent({ key: (...numbers) => exactly<number[]>()(numbers) })
      async rest(..._numbers: number[]): Promise<void> {
        return Promise.resolve();
      }

      @Idempotent({ key: (e) => e.orderId, store: (self) => self.store })
      private async hidden(this: Orders, _event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }

      @Idempotent({ key: 'literal', codec: jsonCodec })
      thenable(): PromiseLike<number> {
        return Promise.resolve(this.hidden.length);
      }

      @Idempotent()
      async withoutOptions(): Promise<void> {
        return Promise.resolve();
      }
    }

    expect(Orders).to.be.a('function');
  });

  // F59
  it('leave the method as it is for its callers', () => {
    class Lookup {
      @Idempotent({ key: (e) => e.orderId })
      async same<T extends OrderEvent>(event: T): Promise<T> {
        return Promise.resolve(event);
      }
      async find(id: string): Promise<'by name'>;
      async find(id: number): Promise<'by number'>;
      @Idempotent({ key: (id) => id })
      async find(id: unknown): Promise<unknown> {
        return Promise.resolve(typeof id === 'string' ? 'by name' : 'by number');
      }
    }
    const use = (lookup: Lookup): unknown[] => [
      exactly<Promise<'by name'>>()(lookup.find('a')),
      exactly<Promise<'by number'>>()(lookup.find(1)),
      exactly<Promise<OrderEvent & { extra: 1 }>>()(lookup.same({} as OrderEvent & { extra: 1 })),
    ];

    expect(use).to.be.a('function');
  });

  it('flow from a generic class', () => {
    class Repository<T extends OrderEvent> {
      readonly store: IdempotencyStore = new MemoryStore();
      @Idempotent({ key: (e) => e.orderId, store: (self) => self.store })
      async save(_entity: T): Promise<void> {
        return Promise.resolve();
      }
    }

    expect(Repository).to.be.a('function');
  });

  it('refuse options that do not fit the method', () => {
    class Wrong {
      // @ts-expect-error there is no orderID
      @Idempotent({ key: (e) => e.orderID })
      async misspelt(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }
      // @ts-expect-error the method takes no such event
      @Idempotent({ key: (e: { invoiceId: string }) => e.invoiceId })
      async otherEvent(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }
      // @ts-expect-error the method takes one argument
      @Idempotent({ key: (e: OrderEvent, n: number) => [e.orderId, n] })
      async tooMany(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }
      // @ts-expect-error the class has no store
      @Idempotent({ store: (self) => self.store })
      async noStore(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({
        key() {
          // @ts-expect-error the class has no tenant
          return String(this.tenant);
        },
      })
      async noTenant(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }
      // @ts-expect-error a replay has to be what the method returns
      @Idempotent({ onReplay: (result: string) => result })
      async otherResult(): Promise<number> {
        return Promise.resolve(1);
      }
    }
    const misspeltOption = (): unknown => {
      class Typo {
        // @ts-expect-error there is no option tll
        @Idempotent({ tll: 3600 })
        async place(): Promise<void> {
          return Promise.resolve();
        }
      }
      return Typo;
    };

    expect(Wrong).to.be.a('function');
    expect(misspeltOption).to.throw(TypeError, /got `tll`/u);
  });

  // F59
  it('refuse methods that return no promise', () => {
    const define = (): unknown => {
      class Synchronous {
        // @ts-expect-error a number is no promise
        @Idempotent({ ttl: 3600 })
        total(): number {
          return 1;
        }
        // @ts-expect-error nor is nothing
        @Idempotent()
        nothing(): void {
          return;
        }
        // @ts-expect-error it is one only sometimes
        @Idempotent()
        sometimes(): number | Promise<number> {
          return 1;
        }
      }
      return Synchronous;
    };

    expect(define).to.be.a('function');
  });

  it('hold class defaults to their class', () => {
    @IdempotencyDefaults({ ttl: 60, store: (self) => exactly<Service>()(self).store })
    class Service {
      readonly store: IdempotencyStore = new MemoryStore();
    }
    const wrong = (): unknown => {
      // @ts-expect-error the class has no stroe
      @IdempotencyDefaults({ store: (self) => self.stroe })
      class Misspelt {
        readonly store: IdempotencyStore = new MemoryStore();
      }
      return Misspelt;
    };

    expect(Service).to.be.a('function');
    expect(wrong).to.be.a('function');
  });
});

describe('the types of makeIdempotent', () => {
  it('flow from the function and leave it as it is', () => {
    async function charge(event: OrderEvent, amount: number): Promise<Receipt> {
      return Promise.resolve(new Receipt(amount + event.orderId.length));
    }
    const wrapped = makeIdempotent(charge, {
      key: (e, amount) => [exactly<OrderEvent>()(e).orderId, exactly<number>()(amount)],
      onReplay: (result) => exactly<Receipt>()(result),
    });
    const inline = makeIdempotent(async (event: OrderEvent) => Promise.resolve(event.tenantId), {
      key: (e) => exactly<OrderEvent>()(e).orderId,
      namespace: 'inline',
    });

    exactly<typeof charge>()(wrapped);
    exactly<(event: OrderEvent) => Promise<string>>()(inline);
    expect(wrapped).to.be.a('function');
  });

  it('refuse functions that return no promise and keys that do not fit', () => {
    // @ts-expect-error the function returns no promise
    makeIdempotent(function total(event: OrderEvent) {
      return event.orderId.length;
    });
    makeIdempotent(
      async function misspelt(event: OrderEvent) {
        return Promise.resolve(event);
      },
      // @ts-expect-error there is no orderID
      { key: (e) => e.orderID },
    );

    expect(makeIdempotent).to.be.a('function');
  });
});
