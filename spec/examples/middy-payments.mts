import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyResultV2, Context } from 'aws-lambda';
import { header, markReplayed, problemResponse } from '../../lib/events/index.js';
import { idempotencyMiddleware } from '../../lib/middy/index.js';

/*
 * An HTTP API on Middy, as an ES module: Middy is one. What a retry must pass too comes before the
 * idempotency middleware, what shapes the reply comes after it.
 */

export const payments: string[] = [];

interface Reply {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

async function pay(event: APIGatewayProxyEventV2, _context: Context): Promise<Reply> {
  const { orderId } = JSON.parse(event.body ?? '') as { orderId: string };
  payments.push(orderId);
  return Promise.resolve({ statusCode: 201, body: JSON.stringify({ orderId }) });
}

const authorized = {
  before: ({ event }: { event: APIGatewayProxyEventV2 }): Reply | undefined =>
    event.headers['authorization'] === undefined ? { statusCode: 401, body: '' } : undefined,
};

const cors = {
  after: (request: middy.Request<APIGatewayProxyEventV2, Reply>): void => {
    if (request.response == null) return;
    const headers = { ...request.response.headers, 'Access-Control-Allow-Origin': '*' };
    request.response = { ...request.response, headers };
  },
};

export const handler = middy(pay)
  .use(authorized)
  .use(
    idempotencyMiddleware<APIGatewayProxyEventV2, Reply>({
      namespace: 'payments',
      key: header('Idempotency-Key', { scope: (e) => e.headers['authorization'] }),
      fingerprint: (e) => [e.rawPath, e.body ?? ''],
      recordResultIf: (reply) => reply.statusCode < 500,
      onReplay: markReplayed,
    }),
  )
  .use(cors)
  .onError(({ error }): APIGatewayProxyResultV2 | undefined => problemResponse(error));
