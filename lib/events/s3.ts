import type { EventOf } from './event-shapes.js';
import { onlyRecord, opaque } from './key-parts.js';

/** What {@link s3Object} reads of a record. */
export interface S3Record {
  readonly eventName: string;
  readonly responseElements?:
    { readonly 'x-amz-request-id'?: string | undefined } | null | undefined;
  readonly s3: {
    readonly bucket: { readonly name: string };
    readonly object: {
      /** URL-encoded, with `+` for a space. */
      readonly key: string;
      readonly versionId?: string | null | undefined;
      readonly sequencer?: string | undefined;
    };
  };
}

/**
 * Key of what happened to an object in S3: the kind of event, bucket, object key (decoded), version
 * and sequencer. Notifications that S3 repeats carry the same sequencer; a later write of the same
 * object, with the same content even, has another one. Kinds of events without a sequencer go by the
 * id of the request that caused them.
 *
 * Takes a record, or an event with one record; an event with another number is a key error. S3
 * events that come through EventBridge have another form: see {@link eventBridgeId}.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 * @see https://repost.aws/knowledge-center/s3-duplicate-sqs-messages
 *
 * @example
 * ```ts
 * @Idempotent({ key: s3Object })
 * async importFile(record: S3EventRecord): Promise<void> { … }
 * ```
 */
export function s3Object(event: S3Record | EventOf<S3Record>): readonly unknown[] {
  const { eventName, responseElements, s3 } = onlyRecord(event);
  const { key, versionId, sequencer } = s3.object;
  return [
    eventName,
    opaque(s3.bucket.name),
    opaque(decodeURIComponent(key.replaceAll('+', ' '))),
    // Buckets without versions say null or nothing.
    ...(versionId === undefined || versionId === null ? [] : [opaque(versionId)]),
    sequencer ?? responseElements?.['x-amz-request-id'],
  ];
}
