import type { DynamoDBStreamEvent, KinesisStreamEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import { sampleEvents } from '../examples/sample-events.js';
import { moreEvents } from './support.js';

/** Messages of a standard queue. */
export function messages(...ids: readonly string[]): SQSEvent {
  const [record] = sampleEvents.sqs().Records;
  return { Records: ids.map((messageId) => ({ ...record!, messageId })) };
}

/** Messages of a FIFO queue: `a1` is the first one of group a. */
export function grouped(...ids: readonly string[]): SQSEvent {
  const [record] = moreEvents.fifo().Records;
  return {
    Records: ids.map((messageId) => ({
      ...record!,
      messageId,
      attributes: { ...record!.attributes, MessageGroupId: messageId.slice(0, 1) },
    })),
  };
}

export function kinesis(...numbers: readonly string[]): KinesisStreamEvent {
  const [record] = sampleEvents.kinesis().Records;
  return {
    Records: numbers.map((sequenceNumber) => ({
      ...record!,
      eventID: `shardId-000000000003:${sequenceNumber}`,
      kinesis: { ...record!.kinesis, sequenceNumber },
    })),
  };
}

export function changes(...numbers: readonly string[]): DynamoDBStreamEvent {
  const [record] = sampleEvents.dynamoDBStream().Records;
  return {
    Records: numbers.map((SequenceNumber) => ({
      ...record!,
      eventID: `event-${SequenceNumber}`,
      dynamodb: { ...record!.dynamodb, SequenceNumber },
    })),
  };
}

/** Handles messages, except those that it is told to refuse. */
export function handler(...refused: readonly string[]): {
  readonly handled: string[];
  readonly handle: (record: SQSRecord) => void;
} {
  const handled: string[] = [];
  return {
    handled,
    handle: ({ messageId }) => {
      handled.push(messageId);
      if (refused.includes(messageId)) throw new Error(`refused ${messageId}`);
    },
  };
}

export function failures(...identifiers: readonly string[]): object {
  return { batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })) };
}
