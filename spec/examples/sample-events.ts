import type {
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2WithJWTAuthorizer,
  DynamoDBStreamEvent,
  EventBridgeEvent,
  KinesisStreamEvent,
  S3Event,
  SNSEvent,
  SQSEvent,
} from 'aws-lambda';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Order } from './order.js';

export type OrderSubmitted = EventBridgeEvent<'Order Submitted', Order>;

/** The events in `events/`, in the shapes that AWS sends; a fresh copy at each call. */
export const sampleEvents = {
  restRequest: () => read<APIGatewayProxyEvent>('api-gateway-rest'),
  httpRequest: () => read<APIGatewayProxyEventV2WithJWTAuthorizer>('api-gateway-http'),
  sqs: () => read<SQSEvent>('sqs'),
  sqsOneRecord: () => read<SQSEvent>('sqs-one-record'),
  sns: () => read<SNSEvent>('sns'),
  eventBridge: () => read<OrderSubmitted>('eventbridge'),
  eventBridgeSecond: () => read<OrderSubmitted>('eventbridge-second'),
  kinesis: () => read<KinesisStreamEvent>('kinesis'),
  dynamoDBStream: () => read<DynamoDBStreamEvent>('dynamodb-stream'),
  s3: () => read<S3Event>('s3'),
};

function read<E>(name: string): E {
  return JSON.parse(readFileSync(join(__dirname, 'events', `${name}.json`), 'utf8')) as E;
}
