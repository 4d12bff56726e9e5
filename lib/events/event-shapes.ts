/*
 * What this entry reads of AWS's events, and no more: the types of `@types/aws-lambda` fit, and so
 * does any other description of the same events. Nobody has to install types for these.
 */

/** An event that holds records. */
export interface EventOf<R> {
  readonly Records: readonly R[];
}

/** Headers as API Gateway, load balancers and function URLs hand them to Lambda. */
export interface HttpEvent {
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** In REST API events, and in a load balancer's where its target group has them switched on. */
  readonly multiValueHeaders?:
    Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
}

/** The body of an HTTP request. */
export interface HttpBodyEvent {
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

/** A record of an SQS event, as {@link processBatch} reads it. */
export interface SqsBatchRecord {
  readonly messageId: string;
  readonly eventSource: string;
  /** A FIFO queue's name, and so its ARN, ends with `.fifo`. */
  readonly eventSourceARN?: string | undefined;
  readonly attributes?: { readonly MessageGroupId?: string | undefined } | undefined;
}

/** A record of a Kinesis event, as {@link processBatch} reads it. */
export interface KinesisBatchRecord {
  readonly eventID: string;
  readonly eventSource: string;
  readonly kinesis: { readonly sequenceNumber: string };
}

/** A record of a DynamoDB stream's event, as {@link processBatch} reads it. */
export interface DynamoDBBatchRecord {
  readonly eventID?: string | undefined;
  readonly eventSource?: string | undefined;
  readonly dynamodb?: { readonly SequenceNumber?: string | undefined } | undefined;
}

/** An event whose failed records Lambda takes back one by one. */
export type BatchEvent =
  EventOf<SqsBatchRecord> | EventOf<KinesisBatchRecord> | EventOf<DynamoDBBatchRecord>;

/** The records of an event. */
export type RecordOf<E extends BatchEvent> = E['Records'][number];
