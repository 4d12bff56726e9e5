import {
  redeliverEventBridge,
  redeliverHttpRequest,
  redeliverKinesis,
  redeliverRestRequest,
  redeliverSns,
  redeliverSqs,
  reproduceKinesis,
  republishSns,
} from '../redeliver.js';
import { sampleEvents } from '../sample-events.js';
import { killedAfterEffect, killedBeforeEffect } from './killed-scenarios.js';
import { failFirstRun, holdUntilAnswered, type Scenario } from './scenario.js';

const rest: Scenario = {
  title: 'API Gateway REST: client retries',
  orderIds: ['order-1001'],
  async run(stage) {
    const handler = stage.handler();
    let event = sampleEvents.restRequest();
    for (let attempt = 1; attempt <= 3; attempt++) {
      const request = event;
      await stage.deliver((context) => handler.http(request, context));
      event = redeliverRestRequest(event);
    }
    return undefined;
  },
};

const http: Scenario = {
  title: 'API Gateway HTTP: three at once',
  orderIds: ['order-1002'],
  async run(stage) {
    const { interference, answered } = holdUntilAnswered(2);
    const handler = stage.handler(interference);
    const first = sampleEvents.httpRequest();
    const requests = [first, redeliverHttpRequest(first), redeliverHttpRequest(first)];
    await Promise.all(
      requests.map(async (request) => {
        await stage.deliver((context) => handler.http(request, context));
        answered();
      }),
    );
    await stage.deliver((context) => handler.http(redeliverHttpRequest(first), context));
    return undefined;
  },
};

const sqs: Scenario = {
  title: 'SQS, 2 records: one throws at first',
  orderIds: ['order-2001', 'order-2002'],
  async run(stage) {
    const handler = stage.handler(failFirstRun('order-2002'));
    let batch = sampleEvents.sqs();
    for (let receive = 1; receive <= 3; receive++) {
      const event = batch;
      await stage.deliverBatch(event, (context) => handler.sqs(event, context));
      batch = redeliverSqs(batch);
    }
    return undefined;
  },
};

const sns: Scenario = {
  title: 'SNS: two at once, published again',
  orderIds: ['order-3001'],
  async run(stage) {
    const { interference, answered } = holdUntilAnswered(1);
    const handler = stage.handler(interference);
    const event = sampleEvents.sns();
    const deliver = (message: typeof event): Promise<void> =>
      stage.deliver(async (context) => {
        const [placed] = await handler.sns(message, context);
        if (placed === undefined) throw new Error('The event has no record');
        return placed;
      });
    await Promise.all(
      [event, redeliverSns(event)].map(async (message) => {
        await deliver(message);
        answered();
      }),
    );
    await deliver(redeliverSns(event));
    await deliver(republishSns(event));
    return undefined;
  },
};

const eventBridge: Scenario = {
  title: 'EventBridge: first attempt throws',
  orderIds: ['order-4001'],
  async run(stage) {
    const handler = stage.handler(failFirstRun('order-4001'));
    let event = sampleEvents.eventBridge();
    for (let attempt = 1; attempt <= 3; attempt++) {
      const delivered = event;
      await stage.deliver((context) => handler.eventBridge(delivered, context));
      event = redeliverEventBridge(event);
    }
    return undefined;
  },
};

const kinesis: Scenario = {
  title: 'Kinesis, 2 records: put again',
  orderIds: ['order-5001', 'order-5002'],
  async run(stage) {
    const handler = stage.handler();
    const batch = sampleEvents.kinesis();
    for (const event of [batch, redeliverKinesis(batch), reproduceKinesis(batch)]) {
      await stage.deliverBatch(event, (context) => handler.kinesis(event, context));
    }
    return undefined;
  },
};

/** In this order; those of one group at the same time. */
export const scenarioGroups: readonly (readonly Scenario[])[] = [
  [rest],
  [http],
  [sqs],
  [sns],
  [eventBridge],
  [kinesis],
  [killedBeforeEffect, killedAfterEffect],
];
