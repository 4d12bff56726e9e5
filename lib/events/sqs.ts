import { canonicalJson } from '../keys/canonical-json.js';
import { crypto } from '../node/builtins.js';
import { parseBody } from './key-parts.js';

/**
 * Key of an SQS message: the id that SQS gave it, which stays the same however often it is received.
 * A message that its producer sends twice has two ids, and so has one that is moved back from a
 * dead-letter queue: where that matters, take a business key out of the body with {@link sqsBody}.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-message-identifiers.html
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-dead-letter-queue-redrive.html
 *
 * @example
 * ```ts
 * @Idempotent({ key: sqsMessageId, ttl: 14 * 24 * 3600 })
 * async ship(record: SQSRecord, context: Context): Promise<void> { … }
 * ```
 */
export function sqsMessageId(record: { readonly messageId: string }): string {
  return record.messageId;
}

/**
 * Key out of the JSON body of an SQS message. With a path: what is there, as in `'order.id'` or
 * `'items.0.sku'`; nothing there is a missing key. Without one: the hash of the whole body, the order
 * of members aside, or of its text where it is not JSON.
 *
 * @param path names of members and indices of arrays, with dots between them
 * @throws TypeError for a path with nothing between two dots. The key function throws an
 * `IdempotencyKeyError` where a path is given and the body is not JSON.
 *
 * @example
 * ```ts
 * @Idempotent({ key: sqsBody('orderId') })
 * async place(record: SQSRecord): Promise<void> { … }
 * ```
 */
export function sqsBody(path?: string): (record: { readonly body: string }) => unknown {
  if (path === undefined) return ({ body }) => crypto().hash('sha256', canonicalText(body));
  const names = namesIn(path);
  return ({ body }) => names.reduce(memberOf, parseBody(body));
}

function namesIn(path: unknown): readonly string[] {
  const names = typeof path === 'string' ? path.split('.') : [''];
  if (names.includes('')) {
    throw new TypeError('Expected the path to be names with dots between them (sqsBody)');
  }
  return names;
}

function memberOf(container: unknown, name: string): unknown {
  return typeof container === 'object' && container !== null && Object.hasOwn(container, name)
    ? (container as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Equal data are one text; a text that is no JSON differs from the canonical form of any data. */
function canonicalText(body: string): string {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    return body;
  }
  return canonicalJson(data, 'body');
}
