import { expect } from 'chai';
import { configureIdempotency, IdempotencyInProgressError, MemoryStore } from '../../lib/index.js';
import { lambdaContext } from '../examples/lambda-context.js';
import { OrderHandler } from '../examples/order-handler.js';
import type { Order, Orders, PlacedOrder } from '../examples/order.js';
import {
  redeliverEventBridge,
  redeliverHttpRequest,
  redeliverKinesis,
  redeliverRestRequest,
  redeliverSns,
  redeliverSqs,
  reproduceKinesis,
  republishSns,
} from '../examples/redeliver.js';
import { sampleEvents } from '../examples/sample-events.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

/** Orders that a spec can hold or make fail; `placed` is what really happened. */
class ObservedOrders implements Orders {
  readonly placed: string[] = [];
  before: (order: Order) => Promise<void> = async () => {};

  async place(order: Order): Promise<PlacedOrder> {
    const { orderId, totalAmount } = order;
    await this.before(order);
    this.placed.push(orderId);
    const id = `placed-${this.placed.length}`;
    return { id, orderId, totalAmount, placedAt: new Date().toISOString() };
  }
}

/** A shape of event, with the handler's door for it. */
interface Shape {
  readonly name: string;
  readonly orderIds: readonly string[];
  first(handler: OrderHandler): Promise<unknown>;
  /** The same event as AWS delivers it again. */
  again(handler: OrderHandler): Promise<unknown>;
  /** An event of another order. */
  other(handler: OrderHandler): Promise<unknown>;
}

function shape<E>(
  name: string,
  orderIds: readonly string[],
  invoke: (handler: OrderHandler, event: E) => Promise<unknown>,
  sample: () => E,
  redeliver: (event: E) => E,
  other: E,
): Shape {
  return {
    name,
    orderIds,
    first: (handler) => invoke(handler, sample()),
    again: (handler) => invoke(handler, redeliver(sample())),
    other: (handler) => invoke(handler, other),
  };
}

const SQS_IDS = ['order-2001', 'order-2002'];
const KINESIS_IDS = ['order-5001', 'order-5002'];

const restRequest = sampleEvents.restRequest();
const httpRequest = sampleEvents.httpRequest();
const [snsRecord] = sampleEvents.sns().Records;

const requestShapes: readonly Shape[] = [
  shape(
    'an API Gateway REST request',
    ['order-1001'],
    (handler, event) => handler.http(event, lambdaContext()),
    sampleEvents.restRequest,
    redeliverRestRequest,
    { ...restRequest, headers: { ...restRequest.headers, 'Idempotency-Key': 'another' } },
  ),
  shape(
    'an API Gateway HTTP request',
    ['order-1002'],
    (handler, event) => handler.http(event, lambdaContext()),
    sampleEvents.httpRequest,
    redeliverHttpRequest,
    { ...httpRequest, headers: { ...httpRequest.headers, 'idempotency-key': 'another' } },
  ),
];
const batchShapes: readonly Shape[] = [
  shape(
    'an SQS batch',
    SQS_IDS,
    (handler, event) => handler.sqs(event, lambdaContext()),
    sampleEvents.sqs,
    redeliverSqs,
    sampleEvents.sqsOneRecord(),
  ),
  shape(
    'a Kinesis batch',
    KINESIS_IDS,
    (handler, event) => handler.kinesis(event, lambdaContext()),
    sampleEvents.kinesis,
    redeliverKinesis,
    {
      Records: sampleEvents
        .kinesis()
        .Records.slice(0, 1)
        .map((record) => ({
          ...record,
          kinesis: {
            ...record.kinesis,
            data: Buffer.from(JSON.stringify({ orderId: 'order-5003' })).toString('base64'),
          },
        })),
    },
  ),
];
const messageShapes: readonly Shape[] = [
  shape(
    'an SNS message',
    ['order-3001'],
    (handler, event) => handler.sns(event, lambdaContext()),
    sampleEvents.sns,
    redeliverSns,
    {
      Records: [
        {
          ...snsRecord!,
          Sns: { ...snsRecord!.Sns, Message: JSON.stringify({ orderId: 'order-3002' }) },
        },
      ],
    },
  ),
  shape(
    'an EventBridge event',
    ['order-4001'],
    (handler, event) => handler.eventBridge(event, lambdaContext()),
    sampleEvents.eventBridge,
    redeliverEventBridge,
    sampleEvents.eventBridgeSecond(),
  ),
];
const shapes = [...requestShapes, ...batchShapes, ...messageShapes];

describe('OrderHandler', () => {
  let orders: ObservedOrders;
  let handler: OrderHandler;
  let restoreDefaults: () => void;

  beforeEach(() => {
    restoreDefaults = configureIdempotency({ store: new MemoryStore() });
    orders = new ObservedOrders();
    handler = new OrderHandler(orders);
  });

  afterEach(() => {
    restoreDefaults();
  });

  for (const each of shapes) {
    const { name, orderIds, first, again, other } = each;
    describe(`given ${name}`, () => {
      // F24
      it('answers a redelivery as the first delivery and places nothing', async () => {
        const answer = await first(handler);
        const answers = [await again(handler), await again(handler)];

        // HTTP clients are told, since they cannot know otherwise.
        const replayed = requestShapes.includes(each)
          ? { ...(answer as object), headers: { 'Idempotent-Replayed': 'true' } }
          : answer;
        expect(answers).to.deep.equal([replayed, replayed]);
        expect(orders.placed).to.have.members([...orderIds]);
      });

      it('places the order of another event', async () => {
        await first(handler);
        await other(handler);

        expect(orders.placed).to.have.lengthOf(orderIds.length + 1);
      });

      it('places the order again after an attempt that threw', async () => {
        orders.before = () => Promise.reject(new Error('payment service down'));
        await Promise.allSettled([first(handler)]);
        orders.before = async () => {};

        await again(handler);

        expect(orders.placed).to.have.members([...orderIds]);
      });
    });
  }

  describe('given a delivery while the first one is running', () => {
    async function whileRunning<T>(running: Shape, meet: () => Promise<T>): Promise<T> {
      const gate = deferred();
      const started = deferred();
      orders.before = () => {
        started.resolve();
        return gate.promise;
      };
      const first = running.first(handler);
      await started.promise;
      try {
        return await meet();
      } finally {
        gate.resolve();
        await first;
        expect(orders.placed).to.have.members([...running.orderIds]);
      }
    }

    for (const each of requestShapes) {
      it(`answers ${each.name} with 409 and when to retry`, async () => {
        const answer = await whileRunning(each, () => each.again(handler));

        expect(answer).to.include({ statusCode: 409 });
        expect(answer).to.have.nested.property('headers.Retry-After').that.matches(/^\d+$/u);
      });
    }

    for (const each of messageShapes) {
      it(`rejects ${each.name}, so that it comes again`, async () => {
        const error = await whileRunning(each, () =>
          expectRejection(each.again(handler), IdempotencyInProgressError),
        );

        expect(error.retryAfterMs).to.be.within(1, 30_000);
      });
    }

    // F41
    it('reports the records of an SQS batch, so that they come again', async () => {
      const answer = await whileRunning(batchShapes[0]!, () => batchShapes[0]!.again(handler));

      expect(answer).to.deep.equal({
        batchItemFailures: sampleEvents
          .sqs()
          .Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
      });
    });

    it('reports the first record of a Kinesis batch, where the shard is read from again', async () => {
      const answer = await whileRunning(batchShapes[1]!, () => batchShapes[1]!.again(handler));

      const [record] = sampleEvents.kinesis().Records;
      expect(answer).to.deep.equal({
        batchItemFailures: [{ itemIdentifier: record!.kinesis.sequenceNumber }],
      });
    });
  });

  it('reports only the failed record of an SQS batch and places only that one again', async () => {
    const [, second] = sampleEvents.sqs().Records;
    let failed = false;
    orders.before = async ({ orderId }) => {
      if (failed || orderId !== 'order-2002') return;
      failed = true;
      throw new Error('out of stock');
    };

    const answer = await handler.sqs(sampleEvents.sqs(), lambdaContext());
    await handler.sqs(redeliverSqs(sampleEvents.sqs()), lambdaContext());

    expect(answer).to.deep.equal({ batchItemFailures: [{ itemIdentifier: second!.messageId }] });
    expect(orders.placed).to.deep.equal(SQS_IDS);
  });

  it('places an order once when its producer sends it to Kinesis again', async () => {
    await handler.kinesis(sampleEvents.kinesis(), lambdaContext());
    await handler.kinesis(reproduceKinesis(sampleEvents.kinesis()), lambdaContext());

    expect(orders.placed).to.deep.equal(KINESIS_IDS);
  });

  it('places an order once when it is published to SNS again', async () => {
    const first = await handler.sns(sampleEvents.sns(), lambdaContext());
    const second = await handler.sns(republishSns(sampleEvents.sns()), lambdaContext());

    expect(second).to.deep.equal(first);
    expect(orders.placed).to.deep.equal(['order-3001']);
  });

  // F55
  it('places the orders of two customers who chose the same Idempotency-Key', async () => {
    const mine = sampleEvents.restRequest();
    const theirs = structuredClone(mine);
    theirs.requestContext.authorizer = { principalId: 'customer-32' };

    await handler.http(mine, lambdaContext());
    await handler.http(theirs, lambdaContext());

    expect(orders.placed).to.have.lengthOf(2);
  });

  for (const name of ['Idempotency-Key', 'idempotency-key', 'IDEMPOTENCY-KEY']) {
    it(`finds the key in a header written ${name}`, async () => {
      const request = sampleEvents.restRequest();
      request.headers = { [name]: 'the same' };

      await handler.http(request, lambdaContext());
      await handler.http(
        { ...request, headers: { 'Idempotency-Key': 'the same' } },
        lambdaContext(),
      );

      expect(orders.placed).to.have.lengthOf(1);
    });
  }

  it('answers a request without a key with 400 and places nothing', async () => {
    const request = sampleEvents.httpRequest();
    delete request.headers['idempotency-key'];

    const answer = await handler.http(request, lambdaContext());

    expect(answer.statusCode).to.equal(400);
    expect(orders.placed).to.deep.equal([]);
  });
});
