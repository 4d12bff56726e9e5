import type { EventOf } from './event-shapes.js';
import { onlyRecord } from './key-parts.js';

/** What {@link snsMessageId} reads of a record. */
export interface SnsRecord {
  readonly Sns: { readonly MessageId: string };
}

/**
 * Key of an SNS message: the id that SNS gave it when it was published. Both SNS and Lambda repeat a
 * delivery under the same id; a publisher that publishes again gets another one.
 *
 * Takes a record, or the event: SNS puts one message into each. An event with another number of
 * records is a key error.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
 *
 * @example
 * ```ts
 * @Idempotent({ key: snsMessageId })
 * async handle(event: SNSEvent, context: Context): Promise<void> { … }
 * ```
 */
export function snsMessageId(event: SnsRecord | EventOf<SnsRecord>): string {
  return onlyRecord(event).Sns.MessageId;
}
