import middy7 from '@middy/core';
import type { Context } from 'aws-lambda';
import middy6 from 'middy6';
import { idempotencyMiddleware } from '../../lib/middy/index.js';

/* Compiled only: what the types of both versions of Middy make of the middleware. */

interface Order {
  readonly orderId: string;
}
interface Reply {
  readonly statusCode: number;
}

type Expect<T extends true> = T;
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const place = async (order: Order, context: Context): Promise<Reply> =>
  Promise.resolve({ statusCode: order.orderId.length + context.functionName.length });

const idempotent = idempotencyMiddleware({
  namespace: 'orders',
  // Written types are taken on: no type arguments needed.
  key: (order: Order, context: Context) => [context.functionName, order.orderId],
  recordResultIf: (reply: Reply) => reply.statusCode < 500,
});

export const chain6 = middy6(place).use(idempotent);
export const chain7 = middy7(place).use(idempotent);

export type Checks = [
  // The handler's event and context stay what they were.
  Expect<Same<Parameters<typeof chain6>[0], Order>>,
  Expect<Same<Parameters<typeof chain7>[0], Order>>,
  Expect<Same<Parameters<typeof chain6>[1], Context>>,
  Expect<Same<Parameters<typeof chain7>[1], Context>>,
];

export const named = middy7<Order, Reply>()
  .use(
    idempotencyMiddleware<Order, Reply>({
      namespace: 'orders',
      key: (order) => order.orderId,
      onReplay: (reply) => ({ ...reply, statusCode: 200 }),
    }),
  )
  .handler(place);

// @ts-expect-error -- a middleware has no name to derive a namespace from
idempotencyMiddleware<Order, Reply>({ key: (order) => order.orderId });

idempotencyMiddleware<Order, Reply>({
  namespace: 'orders',
  // @ts-expect-error -- not a member of the event
  key: (order) => order.id,
});
