/* Events and results of a given size, made like those of Lambda: parsed from JSON. */

export interface Order {
  readonly orderId: string;
  readonly [member: string]: unknown;
}

let orders = 0;

/** An order that no other call has, of that many bytes of JSON. */
export function orderOf(bytes: number): Order {
  orders += 1;
  const order = {
    orderId: `order-${String(orders).padStart(8, '0')}`,
    customerId: 'customer-4711',
    currency: 'EUR',
    express: true,
    lines: [] as unknown[],
    placedAt: '2026-03-01T12:00:00.000Z',
    note: '',
  };
  let size = JSON.stringify(order).length;
  for (let i = 0; ; i++) {
    const line = lineOf(i);
    const added = JSON.stringify(line).length + 1;
    if (size + added > bytes) break;
    order.lines.push(line);
    size += added;
  }
  order.note = 'n'.repeat(Math.max(0, bytes - JSON.stringify(order).length));
  return JSON.parse(JSON.stringify(order)) as Order;
}

/** So many orders, for a loop to go round in: one object would be the same key over and over. */
export function ordersOf(bytes: number): readonly Order[] {
  const count = Math.max(4, Math.min(256, Math.floor(1_000_000 / bytes)));
  return Array.from({ length: count }, () => orderOf(bytes));
}

/** What the method returns: a receipt, with the order in it where it is to be large. */
export function resultOf(bytes: number): object {
  const receipt = { status: 'placed', receiptId: 'receipt-0815', totalAmount: 4200, paid: true };
  const { length } = JSON.stringify({ ...receipt, order: 0 });
  return { ...receipt, order: orderOf(bytes - length) };
}

function lineOf(i: number): object {
  return {
    sku: `notebook-${String(i)}`,
    quantity: (i % 7) + 1,
    unitAmount: 1999.5 + i,
    description: 'Ruled notebook, 192 pages, "A5"',
    taxes: [{ rate: 0.19, code: 'standard' }],
    gift: i % 5 === 0,
    discount: null,
    size: { width: 14.8, height: 21, unit: 'cm' },
  };
}
