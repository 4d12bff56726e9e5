type HeaderValue = boolean | number | string;

/** A reply, as far as its headers go. */
export interface ReplyLike {
  statusCode?: number | undefined;
  headers?: Record<string, HeaderValue> | undefined;
  multiValueHeaders?: Record<string, HeaderValue[]> | undefined;
}

/**
 * Adds `Idempotent-Replayed: true` to a recorded reply, which tells the client that the request was
 * not run again. To be used as `onReplay`; the record itself stays as it is. Goes into
 * `multiValueHeaders` where the reply has them and no `headers`.
 *
 * @example
 * ```ts
 * @Idempotent({ key: header('Idempotency-Key', { scope: 'public' }), onReplay: markReplayed })
 * async handle(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> { … }
 * ```
 */
export function markReplayed<R extends ReplyLike>(reply: R): R {
  const { headers, multiValueHeaders } = reply;
  return multiValueHeaders !== undefined && headers === undefined
    ? { ...reply, multiValueHeaders: { ...multiValueHeaders, 'Idempotent-Replayed': ['true'] } }
    : { ...reply, headers: { ...headers, 'Idempotent-Replayed': 'true' } };
}
