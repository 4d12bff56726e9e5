import type {
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2WithJWTAuthorizer,
  KinesisStreamRecord,
} from 'aws-lambda';
import type { Order } from './order.js';

/** API Gateway's events: REST API (payload 1.0) and HTTP API (payload 2.0). */
export type OrderRequest = APIGatewayProxyEvent | APIGatewayProxyEventV2WithJWTAuthorizer;

export function orderIn(text: string): Order {
  return JSON.parse(text) as Order;
}

/** Kinesis hands out the producer's bytes in base64. */
export function orderInStream(record: KinesisStreamRecord): Order {
  return orderIn(Buffer.from(record.kinesis.data, 'base64').toString('utf8'));
}

export function orderInRequest(request: OrderRequest): Order {
  const body = request.body ?? '';
  return orderIn(request.isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body);
}

/** REST APIs pass header names on as the client wrote them, HTTP APIs in lower case. */
export function headerOf(request: OrderRequest, name: string): string | undefined {
  const found = Object.entries(request.headers).find(([header]) => header.toLowerCase() === name);
  return found?.[1];
}

/** Who asks, as the authorizer says: a Lambda authorizer (REST) or a JWT one (HTTP API). */
export function customerOf(request: OrderRequest): unknown {
  return 'version' in request
    ? request.requestContext.authorizer.jwt.claims['sub']
    : request.requestContext.authorizer?.['principalId'];
}
