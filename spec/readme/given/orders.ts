/** What the README's examples take for granted: the reader's own code. */
export interface OrderEvent {
  readonly orderId: string;
  readonly tenantId: string;
}

export interface Order {
  readonly id: string;
  readonly amount: number;
}

/** What payment providers take besides. */
export interface PaymentRequest {
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class CardDeclined extends Error {}

export class Orders {
  async place(event: OrderEvent): Promise<Order> {
    effects.push(`placed ${event.orderId}`);
    return { id: event.orderId, amount: 1 };
  }
}

export const payments = {
  async charge(order: Order, request: PaymentRequest = {}): Promise<string> {
    request.signal?.throwIfAborted();
    effects.push(`charged ${order.id}`);
    return `receipt of ${order.id}`;
  },
};

/** Everything that took effect, for those who count. */
export const effects: string[] = [];
