import { expect } from 'chai';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { idempotencyIdOf } from '../../lib/decorator/idempotency-id-of.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { IdempotencyKeyError } from '../../lib/errors/index.js';
import { IdStore } from './support.js';

interface OrderEvent {
  readonly orderId: string;
}
interface Context {
  getRemainingTimeInMillis(): number;
  readonly awsRequestId: string;
}

const event: OrderEvent = { orderId: 'o1' };
const context: Context = { getRemainingTimeInMillis: () => 1000, awsRequestId: 'r1' };

class Orders {
  readonly tenant: string = 't1';
  runs = 0;

  @Idempotent({ key: (e) => e.orderId, namespace: 'orders' })
  async place(_event: OrderEvent): Promise<number> {
    this.runs += 1;
    return Promise.resolve(this.runs);
  }
  @Idempotent({
    key(e) {
      return [this.tenant, e.orderId];
    },
  })
  async ofTenant(_event: OrderEvent): Promise<void> {
    return Promise.resolve();
  }
  @Idempotent()
  async handle(_event: OrderEvent, _context: Context): Promise<void> {
    return Promise.resolve();
  }
  @Idempotent({ key: (e) => e.orderId })
  static async cancel(_event: OrderEvent): Promise<void> {
    return Promise.resolve();
  }
  async plain(_event: OrderEvent): Promise<void> {
    return Promise.resolve();
  }
}

class SpecialOrders extends Orders {
  override readonly tenant = 't2';
}

@IdempotencyDefaults({ namespace: 'billing' })
class Billing {
  @Idempotent({ key: (e) => e.orderId })
  async charge(_event: OrderEvent): Promise<void> {
    return Promise.resolve();
  }
}

const refund = makeIdempotent(async (e: OrderEvent, _context: Context) => Promise.resolve(e), {
  namespace: 'refund',
});

describe('idempotencyIdOf', () => {
  let store: IdStore;

  beforeEach(() => {
    store = new IdStore();
  });

  // F90
  it('leads an operator from a call to its record, and to a new run', async () => {
    const orders = new Orders();
    await withIdempotency({ store }, async () => {
      await orders.place(event);
      const id = idempotencyIdOf(orders.place, [{ orderId: 'o1' }], orders);
      expect(id).to.equal('orders#o1');

      expect(await store.get(id)).to.include({ id, status: 'COMPLETED', result: '1' });
      expect(await orders.place(event)).to.equal(1);
      expect(await store.forget(id)).to.equal(true);
      expect(await orders.place(event)).to.equal(2);
    });
  });

  const orders = new Orders();
  const special = new SpecialOrders();
  const billing = new Billing();
  const calls: Readonly<Record<string, readonly [call: () => Promise<unknown>, id: () => string]>> =
    {
      'a method': [() => orders.place(event), () => idempotencyIdOf(orders.place, [event], orders)],
      'a key that uses this': [
        () => orders.ofTenant(event),
        () => idempotencyIdOf(orders.ofTenant, [event], orders),
      ],
      'an inherited method': [
        () => special.ofTenant(event),
        () => idempotencyIdOf(special.ofTenant, [event], special),
      ],
      'a default key with a Lambda context': [
        () => orders.handle(event, context),
        () => idempotencyIdOf(orders.handle, [event, context], orders),
      ],
      'a default key, the context left out': [
        () => orders.handle(event, context),
        () => idempotencyIdOf(orders.handle, [event], orders),
      ],
      'a static method': [
        () => Orders.cancel(event),
        () => idempotencyIdOf(Orders.cancel, [event], Orders),
      ],
      'a method named by its class': [
        () => billing.charge(event),
        () => idempotencyIdOf(billing.charge, [event], billing),
      ],
      'a function': [() => refund(event, context), () => idempotencyIdOf(refund, [event])],
    };
  for (const [what, [call, id]] of Object.entries(calls)) {
    // F90
    it(`is the id that the call claims: ${what}`, async () => {
      const found = id(); // Before any call.
      await withIdempotency({ store }, call);

      expect(store.ids).to.deep.equal([found]);
      expect(id()).to.equal(found);
    });
  }

  it('needs no instance: a prototype does', () => {
    class Fresh {
      @Idempotent({ key: (e) => e.orderId })
      async place(_event: OrderEvent): Promise<void> {
        return Promise.resolve();
      }
    }

    expect(idempotencyIdOf(Fresh.prototype.place, [event], Fresh.prototype)) //
      .to.equal('Fresh.place#o1');
  });

  it('heeds the defaults and overrides that hold where it is called', () => {
    const restore = configureIdempotency({ namespace: 'shop' });
    try {
      expect(idempotencyIdOf(Orders.cancel, [event], Orders)).to.equal('shop.static.cancel#o1');
    } finally {
      restore();
    }
    const inside = withIdempotency({ namespace: 'test' }, () =>
      idempotencyIdOf(orders.place, [event], orders),
    );
    expect(inside).to.equal('test.place#o1');
  });

  it('has no id for a call without a key', () => {
    expect(() => idempotencyIdOf(orders.place, [{ orderId: '' }], orders)) //
      .to.throw(IdempotencyKeyError, '`key` is blank (Orders.place)');
  });

  it('refuses what is not idempotent', () => {
    for (const method of [orders.plain, orders.place.bind(orders), undefined as never]) {
      expect(() => idempotencyIdOf(method, [event], orders)) //
        .to.throw(TypeError, /Expected a method that @Idempotent decorates/u);
    }
    expect(() => idempotencyIdOf(orders.place, event as never)) //
      .to.throw(TypeError, /the arguments of the call as an array/u);
  });

  it('takes the arguments of the method and no others', () => {
    const wrong = (): unknown[] => [
      // @ts-expect-error a number is no event
      idempotencyIdOf(orders.place, [1], orders),
      // @ts-expect-error the event is missing
      idempotencyIdOf(orders.handle, [], orders),
      // @ts-expect-error one argument too many
      idempotencyIdOf(orders.place, [event, context], orders),
    ];

    expect(wrong).to.be.a('function');
  });
});
