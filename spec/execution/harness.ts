import type { CallOptions, NamedStore, SharedOptions } from '../../lib/configuration/options.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import type { IdempotencyEvent } from '../../lib/execution/events.js';
import { observeIdempotency } from '../../lib/execution/events.js';
import type { Outcome } from '../../lib/execution/outcome.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock, type ManualClock } from '../../lib/testing/manual-clock.js';
import { InterceptedStore } from '../support/intercepted-store.js';

/** A payload with a key of its own. */
export interface Order {
  readonly orderId: string;
}

/** The engine on a store in memory and a clock that stands still, with every event seen. */
export class Harness {
  readonly clock: ManualClock = manualClock();
  readonly memory: MemoryStore;
  readonly store: InterceptedStore;
  readonly events: IdempotencyEvent[] = [];
  readonly #stop: () => void;

  constructor(clockSkew = 0) {
    this.memory = new MemoryStore({ clock: this.clock, clockSkew });
    this.store = new InterceptedStore(this.memory);
    this.#stop = observeIdempotency((event) => this.events.push(event));
  }

  /** One call for the order `o1`. */
  call<R>(
    body: () => R | PromiseLike<R>,
    options: CallOptions<undefined, [Order], R> = {},
    defaults: SharedOptions & NamedStore<IdempotencyStore> = {},
  ): Promise<Outcome<R>> {
    return withIdempotency({ store: this.store, clock: this.clock, ...defaults }, () =>
      runIdempotent({ orderId: 'o1' }, body, { key: (order) => order.orderId, ...options }),
    );
  }

  types(): string[] {
    return this.events.map((event) => event.type);
  }

  dispose(): void {
    this.#stop();
  }
}
