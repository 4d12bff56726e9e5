import { copyOfOptions } from '../decorator/copy-of-options.js';
import { nothingToDeriveFrom } from '../decorator/derived-namespace.js';
import type { LambdaContextLike } from '../configuration/options.js';
import type { AnyMethodOptions, Declaration } from '../execution/declaration.js';
import { contextOf } from '../execution/lambda-context.js';
import { protect } from '../execution/protected-call.js';
import { optionsResolver } from '../execution/resolved-options.js';
import { keyOfArguments } from '../keys/default-key.js';
import { ChainRun, RUNNING } from './chain-run.js';
import type {
  IdempotencyMiddleware,
  MiddlewareOptions,
  MiddyRequest,
  WatchedRequest,
} from './middy-shapes.js';

/**
 * Makes what comes after it in a Middy chain safe to retry: the middlewares that are added later and
 * the handler run once per key, and what they respond is recorded. For `@middy/core` 6 and 7.
 *
 * A replay is Middy's early response: neither the handler runs nor the `after` of any middleware,
 * not even of those added before this one. So add first what a retry must pass too (authorization,
 * the parser of a body that `key` reads), then this, then what shapes the response (CORS headers, a
 * serializer): their work is in the record. Errors of this package are thrown from `before` and reach
 * every `onError`; an error of what comes after it frees the key.
 *
 * The chain is one run: `onError` of a middleware added later may turn an error into a response, and
 * the key is freed all the same. A handler that Middy's early timeout has given up on may still be
 * running: its key stays claimed until the invocation's end. That is known of Middy's own timeout
 * error, and assumed of every error in the last second; a `timeoutEarlyResponse` that returns a
 * response counts as the handler's.
 *
 * To protect the handler alone, wrap it: `middy(makeIdempotent(handler, options))`. Then every
 * middleware runs for replays too, an early timeout cannot be taken for an outcome, and
 * `currentExecution` and `commitWith` work in the handler; they do not behind this middleware.
 *
 * @param options Those of `MethodOptions` for a handler `(event, context)`; `namespace` is
 * required. The default key is made of the event as it is at this place.
 * @throws TypeError or RangeError for wrong options and for a missing `namespace`. A streamed
 * response cannot be recorded: `after` throws a `TypeError`, and the key is not freed.
 * @see https://middy.js.org/docs/intro/early-interrupt for early responses
 * @example
 * ```ts
 * export const handler = middy(pay)
 *   .use(httpJsonBodyParser())
 *   .use(idempotencyMiddleware({ namespace: 'pay', key: (e: PayEvent) => e.body.orderId }))
 *   .onError(({ error }) => problemResponse(error));
 * ```
 */
export function idempotencyMiddleware<E = unknown, R = unknown, C = LambdaContextLike>(
  options: MiddlewareOptions<E, R, C>,
): IdempotencyMiddleware<E, R> {
  const declaration = new MiddlewareDeclaration(copyOfOptions(options));
  const call = protect(declaration);
  if ((declaration.options.namespace as unknown) === undefined) {
    throw nothingToDeriveFrom('a middleware has none', declaration.where);
  }
  const resolve = optionsResolver(declaration);
  const runs = new WeakMap<object, ChainRun>();

  return {
    before: async function idempotencyBefore(request: MiddyRequest<E, R>): Promise<R | undefined> {
      const watched: WatchedRequest = request;
      const args = [watched.event, watched.context];
      const run = new ChainRun(watched, {
        settings: resolve(undefined).settings,
        context: contextOf(declaration.options.context, undefined, args).context,
        where: declaration.where,
      });
      const answer = await run.start((chain) => call(undefined, args, chain));
      if (answer === RUNNING) {
        runs.set(request, run);
        return undefined;
      }
      // The property tells Middy of a response that is `undefined`, which returning it would not.
      request.earlyResponse = answer as R | undefined;
      return answer as R | undefined;
    },

    after: async function idempotencyAfter(request: MiddyRequest<E, R>): Promise<void> {
      await runs.get(request)?.succeed(request.response);
    },

    onError: async function idempotencyOnError(request: MiddyRequest<E, R>): Promise<void> {
      await runs.get(request)?.fail((request as WatchedRequest).error);
    },
  };
}

/** What {@link idempotencyMiddleware} fixes: the namespace is its only name. */
class MiddlewareDeclaration implements Declaration {
  readonly method: string;
  /** Without a name there is nothing to put a default namespace before. */
  readonly methodPart = '';
  readonly where: string;
  readonly options: AnyMethodOptions;

  constructor(options: AnyMethodOptions) {
    // Options that are no object are refused by the check that is still to come.
    const name = (options as Partial<AnyMethodOptions> | null)?.namespace ?? '';
    this.method = name === '' ? 'middleware' : name;
    this.where = `idempotencyMiddleware(${name})`;
    this.options = options;
  }

  deriveNamespace(): never {
    throw nothingToDeriveFrom('a middleware has none', this.where);
  }

  classDefaults(): readonly [] {
    return [];
  }

  classNamespace(): undefined {
    return undefined;
  }

  /** Of the event alone: not every context is a Lambda context, and none says what is asked. */
  defaultKey(args: readonly unknown[]): string {
    return keyOfArguments(args.slice(0, 1), this.method);
  }
}
