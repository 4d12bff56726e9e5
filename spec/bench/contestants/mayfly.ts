import type { Packages } from '../packages.js';
import type { Order } from '../payloads.js';
import type { Call, Contestant, LambdaContext, Task } from './contestant.js';

export function mayfly({ mayfly, mayflyDynamoDB, mayflyCache }: Packages): Contestant {
  const { Idempotent } = mayfly;
  const { DynamoDBStore } = mayflyDynamoDB;
  const { replayCache } = mayflyCache;
  return {
    name: 'mayfly',
    protect({ client, table, key, run, cache = false }: Task): Call {
      const engine = new DynamoDBStore({ client, table });
      const store = cache ? replayCache(engine, { max: 1000 }) : engine;
      const named = key === 'orderId' ? { key: ({ orderId }: Order) => orderId } : {};

      class Orders {
        @Idempotent({ ...named, namespace: 'orders', store })
        place(event: Order, context: LambdaContext): Promise<unknown> {
          return run(event, context);
        }
      }

      const orders = new Orders();
      return orders.place.bind(orders);
    },
  };
}
