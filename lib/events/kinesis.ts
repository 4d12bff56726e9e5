import { opaque } from './key-parts.js';

/**
 * Key of a Kinesis record: its stream, shard and sequence number, which are the same each time the
 * shard is read. A producer that got no answer and puts the data again gets other numbers: where that
 * matters, make the key from the data.
 *
 * @see https://docs.aws.amazon.com/streams/latest/dev/kinesis-record-processor-duplicates.html
 *
 * @example
 * ```ts
 * @Idempotent({ key: kinesisSequence })
 * async place(record: KinesisStreamRecord, context: Context): Promise<void> { … }
 * ```
 */
export function kinesisSequence(record: {
  /** `shardId-000000000003:4966…`: the shard and the sequence number in it. */
  readonly eventID: string;
  readonly eventSourceARN: string;
}): readonly unknown[] {
  return [opaque(record.eventSourceARN), record.eventID];
}
