import { Idempotent } from '../../lib/decorator/idempotent.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import type { CallOptions, NamedStore } from '../../lib/configuration/options.js';
import { IdempotencyInProgressError } from '../../lib/errors/index.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';

export interface Order {
  readonly orderId: unknown;
}

export type Place = (order: Order) => Promise<unknown>;

/** Options that fit every door. */
export type DoorOptions = CallOptions<unknown, [Order], unknown> & NamedStore<IdempotencyStore>;

/** Makes a protected function by one of the ways that there are. */
export type Door = (place: Place, options: DoorOptions) => Place;

/** Every way to protect a call; all are to behave the same. */
export const doors: Readonly<Record<string, Door>> = {
  '@Idempotent on a method': (place, options) => {
    class Orders {
      @Idempotent(options as object)
      async place(order: Order): Promise<unknown> {
        return place(order);
      }
    }
    const orders = new Orders();
    return orders.place.bind(orders);
  },
  '@Idempotent on a static method': (place, options) => {
    class Orders {
      @Idempotent(options as object)
      static async place(order: Order): Promise<unknown> {
        return place(order);
      }
    }
    return (order) => Orders.place(order);
  },
  makeIdempotent: (place, options) => makeIdempotent((order: Order) => place(order), options),
  runIdempotent: (place, options) => async (order) => {
    const outcome = await runIdempotent(order, place, options as object);
    if (outcome.status !== 'in-progress') return outcome.result;
    throw new IdempotencyInProgressError(outcome.until, outcome.retryAfterMs);
  },
};
