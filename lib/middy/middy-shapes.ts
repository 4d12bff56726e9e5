import type { LambdaContextLike, MethodOptions } from '../configuration/options.js';

/** What the middleware needs of Middy's request object; Middy's own type fits. */
export interface MiddyRequest<E, R> {
  event: E;
  response: R | null | undefined;
  /** Ends the chain where it is set, `undefined` included: Middy's early response, since 6.0. */
  earlyResponse?: R | null | undefined;
}

/** A middleware as `.use()` takes it. */
export interface IdempotencyMiddleware<E, R> {
  readonly before: (request: MiddyRequest<E, R>) => Promise<R | undefined>;
  readonly after: (request: MiddyRequest<E, R>) => Promise<void>;
  readonly onError: (request: MiddyRequest<E, R>) => Promise<void>;
}

/**
 * The options of a method whose arguments are the event and the Lambda context. `E` is the event as
 * it is at the middleware's place in the chain, `R` the response.
 */
export type MiddlewareOptions<E, R, C = LambdaContextLike> = MethodOptions<
  undefined,
  [event: E, context: C],
  R
> & {
  /**
   * What keeps two chains with equal keys apart: the id is `namespace#key`. Used as it is, at most
   * 512 bytes of UTF-8, without `#`. Always needed: a middleware has no name to derive it from, and
   * the name of the Lambda function changes from stage to stage and is shared by all its chains.
   */
  readonly namespace: string;
};

/** The request with what the types of middlewares leave out. */
export interface WatchedRequest extends MiddyRequest<unknown, unknown> {
  readonly context?: unknown;
  error?: unknown;
}
