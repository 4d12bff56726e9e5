/**
 * `mayfly-idempotency/events`: keys of Lambda's events, batches, and replies to HTTP clients.
 *
 * @module mayfly-idempotency/events
 */
export { dynamodbStreamEventId } from './dynamodb-stream.js';
export { eventBridgeId } from './event-bridge.js';
export type {
  BatchEvent,
  DynamoDBBatchRecord,
  EventOf,
  HttpBodyEvent,
  HttpEvent,
  KinesisBatchRecord,
  RecordOf,
  SqsBatchRecord,
} from './event-shapes.js';
export { header, type HeaderOptions } from './header.js';
export { jsonBody } from './json-body.js';
export { kinesisSequence } from './kinesis.js';
export { markReplayed, type ReplyLike } from './mark-replayed.js';
export { problemResponse, type ProblemOptions, type ProblemResponse } from './problem-response.js';
export { processBatch, type BatchOptions, type BatchResponse } from './process-batch.js';
export { s3Object, type S3Record } from './s3.js';
export { snsMessageId, type SnsRecord } from './sns.js';
export { sqsBody, sqsMessageId } from './sqs.js';
