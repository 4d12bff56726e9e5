import { randomUUID } from 'node:crypto';
import type { Order, Orders, PlacedOrder } from '../order.js';
import type { EffectsLog } from './effects-log.js';

/** What a scenario does to runs. */
export interface Interference {
  /** May wait, or throw: the order is not placed then. */
  beforeEffect?(order: Order): Promise<void> | void;
  /** May wait: the order is placed and its result not yet recorded. */
  afterEffect?(order: Order): Promise<void>;
}

/** Places orders into the effects log. */
export class LoggedOrders implements Orders {
  constructor(
    private readonly log: EffectsLog,
    private readonly interference: Interference = {},
  ) {}

  async place(order: Order): Promise<PlacedOrder> {
    const { orderId, totalAmount } = order;
    this.log.append({ type: 'run', orderId, pid: process.pid });
    await this.interference.beforeEffect?.(order);
    const id = randomUUID();
    this.log.append({ type: 'placed', orderId, id, pid: process.pid });
    await this.interference.afterEffect?.(order);
    return { id, orderId, totalAmount, placedAt: new Date().toISOString() };
  }
}
