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
import { header, markReplayed, problemResponse, processBatch } from '../../lib/events/index.js';
import { Idempotent } from '../../lib/index.js';
import {
  customerOf,
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

  // Two clients may choose the same key: who is calling is part of it.
  @Idempotent({
    key: header('Idempotency-Key', { scope: customerOf }),
    ttl: 3600,
    namespace: 'requests',
    onReplay: markReplayed,
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
      const reply = problemResponse(error);
      if (reply === undefined) throw error;
      return reply;
    }
  }

  /** SQS: records that fail, or that another invocation is working on, come again on their own. */
  async sqs(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
    return processBatch(event, ({ body }) => this.place(orderIn(body), context), { context });
  }

  /** Kinesis: a shard is kept in order, so the first failure ends the batch and comes again first. */
  async kinesis(event: KinesisStreamEvent, context: Context): Promise<KinesisStreamBatchResponse> {
    return processBatch(event, (record) => this.place(orderInStream(record), context), { context });
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
