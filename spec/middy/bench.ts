import {
  configureIdempotency,
  MemoryStore,
  observeIdempotency,
  type IdempotencyEvent,
} from '../../lib/index.js';
import { idempotencyMiddleware, type MiddlewareOptions } from '../../lib/middy/index.js';
import { manualClock, type ManualClock } from '../../lib/testing/index.js';
import { InterceptedStore } from '../support/intercepted-store.js';
import { versions, type Chain, type MiddyPackages } from './support.js';

export interface Order {
  readonly orderId: string;
  readonly amount?: number;
}

export type OrderOptions = Partial<MiddlewareOptions<Order, unknown>>;

/** Chains of one version of Middy, on a store in memory and a clock that stands still. */
export class Bench {
  clock!: ManualClock;
  store!: InterceptedStore;
  /** How often handlers of {@link chainOf} ran. */
  runs = 0;
  readonly events: IdempotencyEvent[] = [];
  readonly #packages: () => MiddyPackages;
  #restore: (() => void)[] = [];

  constructor(packages: () => MiddyPackages) {
    this.#packages = packages;
  }

  get middy(): MiddyPackages['middy'] {
    return this.#packages().middy;
  }

  httpErrorHandler(): ReturnType<MiddyPackages['httpErrorHandler']> {
    return this.#packages().httpErrorHandler({ logger: false });
  }

  setUp(): void {
    this.clock = manualClock();
    this.store = new InterceptedStore(new MemoryStore({ clock: this.clock, clockSkew: 0 }));
    this.runs = 0;
    this.events.length = 0;
    this.#restore = [
      configureIdempotency({ clock: this.clock, store: this.store }),
      observeIdempotency((event) => this.events.push(event)),
    ];
  }

  tearDown(): void {
    for (const restore of this.#restore) restore();
  }

  /** The middleware for orders by their id. */
  idempotent(options: OrderOptions = {}): ReturnType<typeof idempotencyMiddleware<Order>> {
    return idempotencyMiddleware<Order>({
      namespace: 'orders',
      key: (order) => order.orderId,
      ...options,
    });
  }

  /** A chain around a handler that counts its runs, and answers with their number. */
  chainOf(handler: () => unknown = () => ({ run: this.runs })): Chain {
    return this.middy(async () => {
      this.runs++;
      return Promise.resolve(handler());
    });
  }

  types(): string[] {
    return this.events.map(({ type }) => type);
  }
}

export const call = (
  chain: Chain,
  order: unknown = { orderId: 'o1' },
  context: unknown = {},
): Promise<unknown> => chain(order, context);

/** Describes what holds with every version of Middy. */
export function describeWithMiddy(title: string, body: (bench: Bench) => void): void {
  for (const [version, load] of Object.entries(versions)) {
    describe(`${title} with ${version}`, () => {
      let packages: MiddyPackages;
      const bench = new Bench(() => packages);

      before(async () => {
        packages = await load();
      });
      beforeEach(() => {
        bench.setUp();
      });
      afterEach(() => {
        bench.tearDown();
      });

      body(bench);
    });
  }
}
