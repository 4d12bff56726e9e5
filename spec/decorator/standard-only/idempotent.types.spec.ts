import { expect } from 'chai';
import { Idempotent } from '../../../lib/decorator/idempotent.js';
import { MemoryStore } from '../../../lib/store/memory-store.js';
import type { IdempotencyStore } from '../../../lib/store/idempotency-store.js';

interface OrderEvent {
  readonly orderId: string;
}

describe('the types of Idempotent with standard decorators', () => {
  it('flow from private methods and arrow-function properties', () => {
    class Orders {
      readonly #store: IdempotencyStore = new MemoryStore();
      @Idempotent({ key: (e) => e.orderId, store: (self) => self.#store })
      async #place(event: OrderEvent): Promise<string> {
        return Promise.resolve(event.orderId);
      }
      @Idempotent({ key: (e) => e.orderId, store: (self) => self.#store })
      readonly place = async (event: OrderEvent): Promise<string> => this.#place(event);

      // @ts-expect-error there is no orderID
      @Idempotent({ key: (e) => e.orderID })
      readonly misspelt = async (event: OrderEvent): Promise<string> => this.#place(event);
      // @ts-expect-error the property may hold no function
      @Idempotent({ ttl: 60 })
      optional?: (event: OrderEvent) => Promise<string>;
      // @ts-expect-error the function returns no promise
      @Idempotent({ ttl: 60 })
      readonly synchronous = (event: OrderEvent): string => event.orderId;
    }

    expect(Orders).to.be.a('function');
  });

  it('refuse accessors', () => {
    const define = (): unknown => {
      class Orders {
        // @ts-expect-error an accessor is no method
        @Idempotent({ ttl: 60 })
        accessor place = async (event: OrderEvent): Promise<string> =>
          Promise.resolve(event.orderId);
      }
      return Orders;
    };

    expect(define).to.throw(TypeError, /got an accessor/u);
  });
});
