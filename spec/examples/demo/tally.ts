import { AsyncLocalStorage } from 'node:async_hooks';
import {
  isIdempotencyExpiredClaimError,
  isIdempotencyInProgressError,
  observeIdempotency,
  type IdempotencyEvent,
} from '../../../lib/index.js';
import type { PlacedOrder } from '../order.js';

const current = new AsyncLocalStorage<Tally>();

/** The failure that scenarios plant; any other one ends the demo. */
export class PaymentTimeout extends Error {
  override readonly name = 'PaymentTimeout';
}

/** Counts what became of a scenario's deliveries, an order each. */
export class Tally {
  deliveries = 0;
  replays = 0;
  inProgress = 0;
  takeovers = 0;
  /** Deliveries that ended in an error: thrown by the method, killed, or refused for good. */
  errors = 0;
  readonly ids = new Set<string>();
  /** What callers were told became of their orders. */
  readonly answers: PlacedOrder[] = [];
  /** When a call that was refused as in progress may be repeated. */
  retryAtMs = 0;

  /** Sends the events of this process to the tally of the scenario they happen in. */
  static observe(): () => void {
    return observeIdempotency((event) => current.getStore()?.count(event));
  }

  /**
   * Delivers an event with `orders` orders in it. To AWS an error is no end but the reason for the
   * next delivery, and so it is here.
   */
  async deliver<T>(orders: number, invoke: () => Promise<T>): Promise<T | undefined> {
    this.deliveries += orders;
    try {
      return await current.run(this, invoke);
    } catch (error) {
      if (isIdempotencyExpiredClaimError(error)) this.errors += 1;
      else if (!isIdempotencyInProgressError(error) && !(error instanceof PaymentTimeout)) {
        throw error;
      }
      return undefined;
    }
  }

  private count(event: IdempotencyEvent): void {
    this.ids.add(event.id);
    switch (event.type) {
      case 'claimed':
        if (event.takeover) this.takeovers += 1;
        break;
      case 'replayed':
        this.replays += 1;
        break;
      case 'in-progress':
        this.inProgress += 1;
        this.retryAtMs = Math.max(this.retryAtMs, event.untilMs);
        break;
      case 'released':
        this.errors += 1;
        break;
      default:
    }
  }
}
