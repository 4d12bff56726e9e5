import { IdempotencyKeyError } from '../errors/index.js';
import type { HttpBodyEvent } from './event-shapes.js';
import { parseBody } from './key-parts.js';

/**
 * Key out of the JSON body of an HTTP request, base64 or not. What `select` returns is the key; no
 * body is a missing key, and one that is not JSON an `IdempotencyKeyError`.
 *
 * The body is the client's: where clients name their orders themselves, take in who is calling.
 *
 * @param select of the parsed body and the event; the body's type is what you say it is
 * @throws TypeError where `select` is no function.
 *
 * @example
 * ```ts
 * @Idempotent({ key: jsonBody((order: Order, e) => [e.requestContext.accountId, order.orderId]) })
 * async handle(event: APIGatewayProxyEvent): Promise<Reply> { … }
 * ```
 */
export function jsonBody<Body, E extends HttpBodyEvent = HttpBodyEvent>(
  select: (body: Body, event: E) => unknown,
): (event: E) => unknown {
  if (typeof select !== 'function') {
    throw new TypeError('Expected a function of the body (jsonBody)');
  }
  return (event) => {
    const text = textOf(event);
    return text === undefined ? undefined : select(parseBody(text) as Body, event);
  };
}

function textOf({ body, isBase64Encoded }: HttpBodyEvent): string | undefined {
  if (body === undefined || body === null || body === '') return undefined;
  if (isBase64Encoded !== true) return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(body, 'base64'));
  } catch {
    throw new IdempotencyKeyError('The body is not UTF-8');
  }
}
