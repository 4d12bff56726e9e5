/** An order as clients submit it. Amounts are in cents. */
export interface Order {
  readonly orderId: string;
  readonly customerId: string;
  readonly currency: string;
  readonly lines: readonly OrderLine[];
  readonly totalAmount: number;
}

export interface OrderLine {
  readonly sku: string;
  readonly quantity: number;
  readonly unitAmount: number;
}

/** What became of it. `id` is new each time an order is placed: a second run would show. */
export interface PlacedOrder {
  readonly id: string;
  readonly orderId: string;
  readonly totalAmount: number;
  /** ISO 8601; a `Date` would come back from the record as a string. */
  readonly placedAt: string;
}

/** Whatever places orders: charges the card, books the stock. */
export interface Orders {
  place(order: Order): Promise<PlacedOrder>;
}
