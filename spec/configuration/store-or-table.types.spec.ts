import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import type { CallOptions, MethodOptions, NamedStore } from '../../lib/configuration/options.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import { idempotencyMiddleware } from '../../lib/middy/index.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { expectRejection } from '../support/expect-rejection.js';

/*
 * The compiler is what runs these, in each dialect: a `@ts-expect-error` that expects nothing is an
 * error itself.
 */

interface Order {
  readonly orderId: string;
}
const place = (order: Order): Promise<string> => Promise.resolve(order.orderId);
const store: IdempotencyStore = new MemoryStore();
/** Not a literal: the compiler knows it as any string. */
const table: string = ['orders'].join();
const both = 'Expected either `store` or `table`, got both';

describe('a store and a table in one place', () => {
  it('are a compile error and an error at once, at every door', async () => {
    expect(() => {
      class Orders {
        // @ts-expect-error the two exclude each other
        @Idempotent({ key: (order: Order) => order.orderId, store, table })
        async place(order: Order): Promise<string> {
          return place(order);
        }
      }
      return Orders;
    }).to.throw(TypeError, both);
    expect(() => {
      // @ts-expect-error the two exclude each other
      @IdempotencyDefaults({ store: () => store, table })
      class Orders {}
      return Orders;
    }).to.throw(TypeError, `${both} (@IdempotencyDefaults on Orders)`);
    // @ts-expect-error the two exclude each other
    expect(() => makeIdempotent(place, { key: (order) => order.orderId, store, table })).to.throw(
      TypeError,
      `${both} (makeIdempotent(place))`,
    );
    // @ts-expect-error the two exclude each other
    expect(() => configureIdempotency({ store, table })).to.throw(TypeError, both);
    // @ts-expect-error the two exclude each other
    expect(() => withIdempotency({ store, table }, () => 1)).to.throw(TypeError, both);
    // @ts-expect-error the two exclude each other
    expect(() => idempotencyMiddleware({ namespace: 'orders', store, table })).to.throw(
      TypeError,
      both,
    );
    const error = await expectRejection(
      // @ts-expect-error the two exclude each other
      runIdempotent({ orderId: 'o1' }, place, { store, table }),
      TypeError,
    );
    expect(error.message).to.include(both);
  });

  it('are told apart where options are passed on by a wrapper', async () => {
    const protectedBy = <R>(
      fn: (order: Order) => Promise<R>,
      options: MethodOptions<undefined, [Order], R>,
    ) => runIdempotent({ orderId: 'o1' }, fn, options);
    const protectedIn = (
      options: CallOptions<undefined, [Order], string> & NamedStore<IdempotencyStore>,
    ) => runIdempotent({ orderId: 'o2' }, place, { key: (o) => o.orderId, store, ...options });

    expect((await protectedBy(place, { key: 'o1', store })).status).to.equal('executed');
    expect((await protectedIn({ ttl: 60 })).status).to.equal('executed');
    expect((await protectedIn({ store: new MemoryStore() })).status).to.equal('executed');
    // @ts-expect-error a table would stand beside the wrapper's own store
    await expectRejection(protectedIn({ table }), TypeError);
  });
});
