import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { expectRejection } from '../support/expect-rejection.js';

interface Order {
  orderId?: string;
  done?: boolean;
}

describe('the key of a call', () => {
  let store: MemoryStore;
  let keys: number;
  let runs: number;
  let restore: () => void;

  beforeEach(() => {
    store = new MemoryStore();
    keys = 0;
    runs = 0;
    restore = configureIdempotency({ store });
  });

  afterEach(() => {
    restore();
  });

  const byId = (order: Order): unknown => {
    keys += 1;
    return order.orderId;
  };
  const byWhole = (order: Order): unknown => {
    keys += 1;
    return { ...order };
  };

  const edits: Readonly<
    Record<string, [key: (order: Order) => unknown, edit: (order: Order) => void]>
  > = {
    'removes its id': [byId, (order) => delete order.orderId],
    'trims its id': [byId, (order) => (order.orderId = order.orderId!.trim())],
    'marks it as done': [byWhole, (order) => (order.done = true)],
  };
  for (const [what, [key, edit]] of Object.entries(edits)) {
    const make = (fails: boolean) =>
      makeIdempotent(
        async (order: Order) => {
          runs += 1;
          edit(order);
          if (fails) throw new Error('declined');
          return Promise.resolve(runs);
        },
        { namespace: 'orders', key },
      );

    // F06
    it(`is made once, before the method ${what}`, async () => {
      const place = make(false);

      expect(await place({ orderId: ' o1 ' })).to.equal(1);
      expect(keys).to.equal(1);
      expect([...store.records()].map(({ status }) => status)).to.deep.equal(['COMPLETED']);
      expect(await place({ orderId: ' o1 ' })).to.equal(1);
      expect([keys, runs]).to.deep.equal([2, 1]);
    });

    // F06
    it(`frees the record that was claimed when the method ${what} and throws`, async () => {
      await expectRejection(make(true)({ orderId: ' o1 ' }));

      expect([keys, store.size]).to.deep.equal([1, 0]);
    });
  }

  // F06
  it('of the whole event is that of the event as it came', async () => {
    const place = makeIdempotent(
      async (order: Order) => {
        runs += 1;
        order.done = true;
        return Promise.resolve(runs);
      },
      { namespace: 'orders' },
    );
    await place({ orderId: 'o1' });

    expect(await place({ orderId: 'o1' })).to.equal(1);
  });

  let tick = 0;
  const fresh: Readonly<Record<string, () => unknown>> = {
    'a random value': () => randomUUID(),
    'the time': () => Date.UTC(2030, 0, 1) + (tick += 1),
    'the request id': () => `request-${String((tick += 1))}`,
  };
  for (const [what, make] of Object.entries(fresh)) {
    // F23
    it(`is asked for exactly once per call although ${what} is none: each attempt runs`, async () => {
      const place = makeIdempotent(async () => Promise.resolve((runs += 1)), {
        namespace: 'orders',
        key: () => {
          keys += 1;
          return make();
        },
      });
      await place();
      await place();

      expect([keys, runs, store.size]).to.deep.equal([2, 2, 2]);
    });
  }

  // F81
  it('may be any argument of a function', async () => {
    const pay = makeIdempotent(
      async (_a: string, _b: number, invoice: string) => Promise.resolve(invoice),
      { namespace: 'pay', key: (_a, _b, invoice) => invoice },
    );
    await pay('x', 1, 'i1');

    expect(await store.get('pay#i1')).to.include({ status: 'COMPLETED' });
  });
});
