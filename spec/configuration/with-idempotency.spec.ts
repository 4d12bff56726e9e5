import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { processState } from '../../lib/configuration/process-state.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

describe('withIdempotency', () => {
  let own: MemoryStore;
  let swapped: MemoryStore;
  const place = makeIdempotent(async (id: string) => Promise.resolve(id), {
    namespace: 'place',
    key: (id) => id,
    ttl: 60,
    store: () => own,
  });

  beforeEach(() => {
    own = new MemoryStore();
    swapped = new MemoryStore();
  });

  it('swaps the store of a decorated method that names its own', async () => {
    class Orders {
      @Idempotent({ key: 'k', namespace: 'orders', store: () => own })
      async place(): Promise<void> {
        return Promise.resolve();
      }
    }

    await withIdempotency({ store: swapped }, () => new Orders().place());

    expect([own.size, swapped.size]).to.deep.equal([0, 1]);
  });

  it('wins over what the method says in every other option too', async () => {
    const clock = manualClock();
    await withIdempotency({ store: swapped, ttl: 5, clock }, () => place('o1'));

    expect((await swapped.get('place#o1'))?.expiresAtMs).to.equal(clock.now() + 5000);
  });

  it('leaves what it is given undefined for to the method', async () => {
    const clock = manualClock();
    const overrides = { store: swapped, ttl: undefined, clock };
    await withIdempotency(overrides as object, () => place('o1'));

    expect((await swapped.get('place#o1'))?.expiresAtMs).to.equal(clock.now() + 60_000);
  });

  it('holds for calls however deep and late, and for none outside', async () => {
    const gate = deferred();
    const inside = withIdempotency({ store: swapped }, async () => {
      await gate.promise;
      await Promise.all([place('o1'), place('o2')]);
    });
    await place('o3');
    gate.resolve();
    await inside;
    await place('o4');

    expect([...swapped.records()].map(({ id }) => id)).to.deep.equal(['place#o1', 'place#o2']);
    expect([...own.records()].map(({ id }) => id)).to.deep.equal(['place#o3', 'place#o4']);
  });

  it('gives back what a function returns, synchronous or not, and throws what it throws', async () => {
    expect(withIdempotency({}, () => 5)).to.equal(5);
    expect(await withIdempotency({}, async () => Promise.resolve(5))).to.equal(5);

    const failure = new Error('mine');
    expect(() =>
      withIdempotency({}, () => {
        throw failure;
      }),
    ).to.throw(failure);
    expect(await expectRejection(withIdempotency({}, () => Promise.reject(failure)))).to.equal(
      failure,
    );
    expect(processState.overrides?.getStore()).to.equal(undefined);
  });

  it('adds to the one outside it, whose other options stay', async () => {
    const clock = manualClock();
    await withIdempotency({ store: swapped, clock, ttl: 5 }, () =>
      withIdempotency({ ttl: 7 }, () => place('o1')),
    );

    expect((await swapped.get('place#o1'))?.expiresAtMs).to.equal(clock.now() + 7000);
  });

  it('lets an inner undefined leave the outer option as it is', async () => {
    await withIdempotency({ store: swapped }, () =>
      withIdempotency({ store: undefined } as object, () => place('o1')),
    );

    expect(swapped.size).to.equal(1);
  });

  it('lets an inner store replace an outer table', async () => {
    await withIdempotency({ table: 'orders' }, () =>
      withIdempotency({ store: swapped }, () => place('o1')),
    );

    expect(swapped.size).to.equal(1);
  });

  it('lets an inner table replace an outer store', async () => {
    const opened: string[] = [];
    const former = processState.openDynamoDBStore;
    processState.openDynamoDBStore = (table) => {
      opened.push(table);
      return own;
    };
    try {
      await withIdempotency({ store: swapped }, () =>
        withIdempotency({ table: 'orders' }, () => place('o1')),
      );
    } finally {
      if (former === undefined) delete processState.openDynamoDBStore;
      else processState.openDynamoDBStore = former;
    }

    expect(opened).to.deep.equal(['orders']);
    expect(swapped.size).to.equal(0);
  });

  it('ends with the inner function: the outer one holds again', async () => {
    const inner = new MemoryStore();
    await withIdempotency({ store: swapped }, async () => {
      await withIdempotency({ store: inner }, () => place('o1'));
      await place('o2');
    });

    expect([...inner.records()].map(({ id }) => id)).to.deep.equal(['place#o1']);
    expect([...swapped.records()].map(({ id }) => id)).to.deep.equal(['place#o2']);
  });

  it('gives each of two branches that run at once its own', async () => {
    const gates = [deferred(), deferred()];
    const stores = [own, swapped];
    const branches = stores.map((store, index) =>
      withIdempotency({ store }, async () => {
        await place(`first-${String(index)}`);
        await gates[index]?.promise;
        await place(`second-${String(index)}`);
      }),
    );
    gates[1]?.resolve();
    await branches[1];
    gates[0]?.resolve();
    await branches[0];

    for (const [index, store] of stores.entries()) {
      const ids = [`place#first-${String(index)}`, `place#second-${String(index)}`];
      expect([...store.records()].map(({ id }) => id)).to.deep.equal(ids);
    }
  });

  it('wins over process defaults that change inside it', async () => {
    const restore = configureIdempotency({ ttl: 1 });
    const clock = manualClock();
    await withIdempotency({ store: swapped, ttl: 9, clock }, async () => {
      const again = configureIdempotency({ ttl: 2 });
      await place('o1').finally(again);
    }).finally(restore);

    expect((await swapped.get('place#o1'))?.expiresAtMs).to.equal(clock.now() + 9000);
  });
});

describe('withIdempotency without a function', () => {
  it('says what it expected', () => {
    expect(() => withIdempotency({}, undefined as unknown as () => void)).to.throw(
      TypeError,
      'Expected `fn` to be a function, got undefined (withIdempotency)',
    );
  });
});
