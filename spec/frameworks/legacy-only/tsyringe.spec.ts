import 'reflect-metadata';
import { expect } from 'chai';
import { container, inject, injectable, singleton, type DependencyContainer } from 'tsyringe';
import {
  Idempotent,
  IdempotencyDefaults,
  MemoryStore,
  type IdempotencyStore,
} from '../../../lib/index.js';
import { expectRejection } from '../../support/expect-rejection.js';

/* Classes that a container makes: decorators run before any store exists. */

const STORE = 'IdempotencyStore';

@singleton()
class Ledger {
  readonly entries: string[] = [];
}

/** The injected store; where there is none, the call is told so. */
const storeOf = (self: Payments): IdempotencyStore => self.store!;

@injectable()
class Payments {
  constructor(
    protected readonly ledger: Ledger,
    @inject(STORE, { isOptional: true }) readonly store: IdempotencyStore | undefined,
  ) {}

  @Idempotent({
    key: (orderId) => orderId,
    store: storeOf,
  })
  async pay(orderId: string): Promise<number> {
    return Promise.resolve(this.ledger.entries.push(`pay ${orderId}`));
  }

  @Idempotent({
    key: (orderId) => orderId,
    store: storeOf,
  })
  async refund(orderId: string): Promise<number> {
    return Promise.resolve(this.ledger.entries.push(`refund ${orderId}`));
  }
}

@IdempotencyDefaults({ namespace: 'cards' })
@injectable()
class CardPayments extends Payments {
  @Idempotent({
    key: (orderId) => orderId,
    store: storeOf,
  })
  override async pay(orderId: string): Promise<number> {
    return Promise.resolve(this.ledger.entries.push(`charge ${orderId}`));
  }
}

describe('classes from a tsyringe container', () => {
  let scope: DependencyContainer;
  let store: MemoryStore;

  beforeEach(() => {
    scope = container.createChildContainer();
    store = new MemoryStore();
    scope.registerInstance<IdempotencyStore>(STORE, store);
    scope.registerInstance(Ledger, new Ledger());
  });

  const entries = (): readonly string[] => scope.resolve(Ledger).entries;

  // F86
  it('run once per key on the store that was injected, whichever instance is asked', async () => {
    expect(await scope.resolve(Payments).pay('o1')).to.equal(1);
    expect(await scope.resolve(Payments).pay('o1')).to.equal(1);

    expect(entries()).to.deep.equal(['pay o1']);
    expect(await store.get('Payments.pay#o1')).to.include({ status: 'COMPLETED' });
  });

  it('use each the store of its own container', async () => {
    const other = scope.createChildContainer();
    other.registerInstance<IdempotencyStore>(STORE, new MemoryStore());

    await scope.resolve(Payments).pay('o1');
    await other.resolve(Payments).pay('o1');

    expect(entries()).to.deep.equal(['pay o1', 'pay o1']);
  });

  it('keep a subclass apart where it declares the method, and share it where it inherits', async () => {
    const payments = scope.resolve(Payments);
    const cards = scope.resolve(CardPayments);

    await payments.pay('o1');
    await cards.pay('o1');
    await payments.refund('o1');
    await cards.refund('o1');

    expect(entries()).to.deep.equal(['pay o1', 'charge o1', 'refund o1']);
    expect(await store.get('cards.pay#o1')).to.include({ status: 'COMPLETED' });
    expect(await store.get('Payments.refund#o1')).to.include({ status: 'COMPLETED' });
  });

  // F86
  it('reject before they run where nothing was injected', async () => {
    const without = container.createChildContainer();
    const ledger = new Ledger();
    without.registerInstance(Ledger, ledger);

    const error = await expectRejection(without.resolve(Payments).pay('o1'), TypeError);

    expect(error.message).to.contain('Payments.pay');
    expect(ledger.entries).to.deep.equal([]);
  });
});
