import type {
  APIGatewayProxyResult,
  Context,
  EventBridgeEvent,
  KinesisStreamBatchResponse,
  KinesisStreamEvent,
  SNSEvent,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import {
  Idempotent,
  isIdempotencyInProgressError,
  isIdempotencyKeyError,
} from '../../lib/index.js';
import {
  customerOf,
  headerOf,
  orderIn,
  orderInRequest,
  orderInStream,
  type OrderRequest,
} from './order-in.js';
import type { Order, Orders, PlacedOrder } from './order.js';

/**
 * A class-based Lambda handler. Two methods are protected: `handle` by the client's Idempotency-Key,
 * `place` by the order itself, which is the same whichever service delivers it and however often.
 * The others take events apart, and run again with every delivery.
 */
export class OrderHandler {
  constructor(private readonly orders: Orders) {}

  // Two clients may choose the same key: the customer is part of it.
  @Idempotent({
    key: (request) => [customerOf(request), headerOf(request, 'idempotency-key')],
    ttl: 3600,
    namespace: 'requests',
  })
  async handle(request: OrderRequest, _context: Context): Promise<APIGatewayProxyResult> {
    const placed = await this.orders.place(orderInRequest(request));
    return { statusCode: 201, body: JSON.stringify(placed) };
  }

  @Idempotent({ key: (order) => order.orderId, ttl: 3600, namespace: 'orders' })
  async place(order: Order, _context: Context): Promise<PlacedOrder> {
    return this.orders.place(order);
  }

  /** API Gateway: what a client has to know becomes a status code. */
  async http(request: OrderRequest, context: Context): Promise<APIGatewayProxyResult> {
    try {
      return await this.handle(request, context);
    } catch (error) {
      if (isIdempotencyInProgressError(error)) {
        const seconds = Math.ceil(error.retryAfterMs / 1000);
        return reply(error.statusCode, error.message, { 'Retry-After': String(seconds) });
      }
      if (isIdempotencyKeyError(error)) {
        return reply(error.statusCode, 'The header Idempotency-Key is missing');
      }
      throw error;
    }
  }

  /** SQS: records that fail, or that another invocation is working on, come again on their own. */
  async sqs(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
    const outcomes = await Promise.allSettled(
      event.Records.map(async ({ body }) => this.place(orderIn(body), context)),
    );
    return {
      batchItemFailures: event.Records.filter(
        (_record, index) => outcomes[index]?.status === 'rejected',
      ).map(({ messageId }) => ({ itemIdentifier: messageId })),
    };
  }

  /** Kinesis: a shard is kept in order, so the first failure ends the batch and comes again first. */
  async kinesis(event: KinesisStreamEvent, context: Context): Promise<KinesisStreamBatchResponse> {
    for (const record of event.Records) {
      try {
        await this.place(orderInStream(record), context);
      } catch {
        return { batchItemFailures: [{ itemIdentifier: record.kinesis.sequenceNumber }] };
      }
    }
    return { batchItemFailures: [] };
  }

  /** SNS: an error makes Lambda invoke the function again. There is one record in each event. */
  async sns(event: SNSEvent, context: Context): Promise<readonly PlacedOrder[]> {
    return Promise.all(
      event.Records.map(async ({ Sns }) => this.place(orderIn(Sns.Message), context)),
    );
  }

  /** EventBridge: as with SNS, an error makes Lambda invoke the function again. */
  async eventBridge(
    event: EventBridgeEvent<'Order Submitted', Order>,
    context: Context,
  ): Promise<PlacedOrder> {
    return this.place(event.detail, context);
  }
}

function reply(
  statusCode: number,
  message: string,
  headers: Record<string, string> = {},
): APIGatewayProxyResult {
  return { statusCode, headers, body: JSON.stringify({ message }) };
}
