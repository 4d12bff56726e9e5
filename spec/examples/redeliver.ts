/*
 * What changes when AWS delivers an event again. Each function takes an event and returns a copy as
 * the next delivery brings it; the event itself stays as it is.
 */
import type {
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2WithJWTAuthorizer,
  DynamoDBStreamEvent,
  KinesisStreamEvent,
  S3Event,
  SNSEvent,
  SQSEvent,
} from 'aws-lambda';
import { randomBytes, randomUUID } from 'node:crypto';
import type { OrderSubmitted } from './sample-events.js';

/** How long after the last delivery the next one comes: longer than a client's timeout. */
const LATER_MS = 31_000;

/**
 * The client sends its request again: for API Gateway that is a new one, with its own request ids,
 * trace and time. Headers and body of the client are the same.
 * "Lambda proxy integrations in API Gateway" (API Gateway Developer Guide).
 */
export function redeliverRestRequest(event: APIGatewayProxyEvent): APIGatewayProxyEvent {
  const traceId = newTraceId();
  const epochMs = event.requestContext.requestTimeEpoch + LATER_MS;
  return {
    ...structuredClone(event),
    headers: { ...event.headers, 'X-Amzn-Trace-Id': traceId },
    multiValueHeaders: { ...event.multiValueHeaders, 'X-Amzn-Trace-Id': [traceId] },
    requestContext: {
      ...structuredClone(event.requestContext),
      requestId: randomUUID(),
      extendedRequestId: randomBytes(11).toString('base64'),
      requestTime: commonLogTime(epochMs),
      requestTimeEpoch: epochMs,
    },
  };
}

/**
 * As with a REST API.
 * "Create AWS Lambda proxy integrations for HTTP APIs in API Gateway" (API Gateway Developer Guide).
 */
export function redeliverHttpRequest(
  event: APIGatewayProxyEventV2WithJWTAuthorizer,
): APIGatewayProxyEventV2WithJWTAuthorizer {
  const timeEpoch = event.requestContext.timeEpoch + LATER_MS;
  return {
    ...structuredClone(event),
    headers: { ...event.headers, 'x-amzn-trace-id': newTraceId() },
    requestContext: {
      ...structuredClone(event.requestContext),
      requestId: randomBytes(11).toString('base64'),
      time: commonLogTime(timeEpoch),
      timeEpoch,
    },
  };
}

/**
 * The visibility timeout is over and the messages are received again: a receipt handle belongs to
 * one act of receiving, and the receive count grows. Message id, body, time of sending and time of
 * the first receive stay.
 * "Amazon SQS queue and message identifiers" (SQS Developer Guide), "ReceiveMessage" (API Reference).
 */
export function redeliverSqs(event: SQSEvent): SQSEvent {
  return {
    Records: structuredClone(event.Records).map((record) => ({
      ...record,
      receiptHandle: randomBytes(90).toString('base64'),
      attributes: {
        ...record.attributes,
        ApproximateReceiveCount: String(Number(record.attributes.ApproximateReceiveCount) + 1),
      },
    })),
  };
}

/**
 * Lambda queues SNS's events and repeats them itself after an error, or for no visible reason: the
 * same event byte for byte, under the same request id. When SNS has to repeat its own call, it keeps
 * the message id, too.
 * "How Lambda handles errors and retries with asynchronous invocation" (Lambda Developer Guide),
 * "Parsing Amazon SNS message formats" (SNS Developer Guide).
 */
export function redeliverSns(event: SNSEvent): SNSEvent {
  return structuredClone(event);
}

/**
 * The publisher did not get its answer and publishes again: to SNS that is another message.
 * "Publish" (SNS API Reference).
 */
export function republishSns(event: SNSEvent): SNSEvent {
  return {
    Records: structuredClone(event.Records).map((record) => ({
      ...record,
      Sns: {
        ...record.Sns,
        MessageId: randomUUID(),
        Timestamp: new Date(Date.parse(record.Sns.Timestamp) + LATER_MS).toISOString(),
        Signature: randomBytes(24).toString('base64'),
      },
    })),
  };
}

/**
 * As with SNS: the same event, its `id` and `time` included.
 * "How Lambda handles errors and retries with asynchronous invocation" (Lambda Developer Guide),
 * "How EventBridge retries delivering events" (EventBridge User Guide).
 */
export function redeliverEventBridge(event: OrderSubmitted): OrderSubmitted {
  return structuredClone(event);
}

/**
 * A failed or timed-out batch is read from the shard again: the same records, sequence numbers
 * included.
 * "Using Lambda to process records from Amazon Kinesis Data Streams" (Lambda Developer Guide).
 */
export function redeliverKinesis(event: KinesisStreamEvent): KinesisStreamEvent {
  return structuredClone(event);
}

/**
 * The producer did not get its answer and puts the records again: the same data under new sequence
 * numbers. Only a key inside the data tells.
 * "Handle duplicate records" (Kinesis Data Streams Developer Guide).
 */
export function reproduceKinesis(event: KinesisStreamEvent): KinesisStreamEvent {
  return {
    Records: structuredClone(event.Records).map((record) => {
      const sequenceNumber = String(BigInt(record.kinesis.sequenceNumber) + 4096n);
      const [shard = ''] = record.eventID.split(':');
      return {
        ...record,
        eventID: `${shard}:${sequenceNumber}`,
        kinesis: {
          ...record.kinesis,
          sequenceNumber,
          approximateArrivalTimestamp: record.kinesis.approximateArrivalTimestamp + LATER_MS / 1000,
        },
      };
    }),
  };
}

/**
 * As with Kinesis: the same records, event id and sequence number included.
 * "Using AWS Lambda with Amazon DynamoDB" (Lambda Developer Guide).
 */
export function redeliverDynamoDBStream(event: DynamoDBStreamEvent): DynamoDBStreamEvent {
  return structuredClone(event);
}

/**
 * S3 delivers a notification at least once; the repeated one names the same object and sequencer.
 * "Amazon S3 Event Notifications" (S3 User Guide).
 */
export function redeliverS3(event: S3Event): S3Event {
  return structuredClone(event);
}

function newTraceId(): string {
  return `Root=1-${randomBytes(4).toString('hex')}-${randomBytes(12).toString('hex')}`;
}

/** `18/May/2026:09:30:31 +0000`, as API Gateway writes it. */
function commonLogTime(epochMs: number): string {
  const [, day = '', month = '', year = '', time = ''] = new Date(epochMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
