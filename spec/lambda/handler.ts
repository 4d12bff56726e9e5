import type { Context } from 'aws-lambda';
import { randomUUID } from 'node:crypto';
import { Idempotent } from '../../lib/index.js';
import '../../lib/store/dynamodb/index.js';
import { OrderHandler } from '../examples/order-handler.js';
import type { Order, Orders, PlacedOrder } from '../examples/order.js';

class PaymentDeclined extends Error {
  override readonly name = 'PaymentDeclined';
}

/** Places an order once its payment service has taken the money. */
class ChargedOrders implements Orders {
  async place(order: Order): Promise<PlacedOrder> {
    const reply = await fetch(process.env['PAYMENTS_URL'] ?? '', {
      method: 'POST',
      body: JSON.stringify(order),
    });
    if (!reply.ok) throw new PaymentDeclined('The payment was declined');
    return {
      id: `receipt-${randomUUID()}`,
      orderId: order.orderId,
      totalAmount: order.totalAmount,
      placedAt: new Date().toISOString(),
    };
  }
}

/** Refuses a key that comes with another amount. */
class Ledger {
  constructor(private readonly orders: Orders) {}

  @Idempotent({
    key: (order) => order.orderId,
    fingerprint: (order) => order.totalAmount,
    namespace: 'ledger',
  })
  async book(order: Order, _context: Context): Promise<PlacedOrder> {
    return this.orders.place(order);
  }
}

const orders = new ChargedOrders();
const orderHandler = new OrderHandler(orders);
const ledger = new Ledger(orders);

export const place = orderHandler.place.bind(orderHandler);
export const sqs = orderHandler.sqs.bind(orderHandler);

/** Logs its errors itself, as handlers do, before the runtime does. */
export async function book(order: Order, context: Context): Promise<PlacedOrder> {
  try {
    return await ledger.book(order, context);
  } catch (error) {
    console.error(error);
    throw error;
  }
}

/** What a runtime client sees of a decorated method before it calls it. */
export async function shape(): Promise<{ name: string; length: number; boundLength: number }> {
  const method = OrderHandler.prototype.place;
  return Promise.resolve({
    name: method.name,
    length: method.length,
    boundLength: place.length,
  });
}

/** The old style, with a callback. */
export function withCallback(
  _event: Order,
  _context: Context,
  callback: (error: null, result: string) => void,
): void {
  callback(null, 'called back');
}
