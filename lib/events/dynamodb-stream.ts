/**
 * Key of a change in a DynamoDB table: the id of the stream's record, which is the same each time the
 * stream is read. Every change has its own, so two changes of one item are two keys.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_Record.html
 *
 * @example
 * ```ts
 * @Idempotent({ key: dynamodbStreamEventId })
 * async changed(record: DynamoDBRecord, context: Context): Promise<void> { … }
 * ```
 */
export function dynamodbStreamEventId(record: {
  readonly eventID?: string | undefined;
  readonly dynamodb?: object | undefined;
}): string | undefined {
  return record.eventID;
}
