import type { IdempotencyMiddleware } from '../../lib/middy/index.js';

/* Middy, as both majors have it. */

/** Middy's request, as far as the specs look at it. */
export interface ChainRequest {
  event: unknown;
  context: unknown;
  response: unknown;
  earlyResponse?: unknown;
  error: unknown;
}

export interface Middleware {
  readonly before?: (request: ChainRequest) => unknown;
  readonly after?: (request: ChainRequest) => unknown;
  readonly onError?: (request: ChainRequest) => unknown;
}

export interface Chain {
  (event: unknown, context: unknown): Promise<unknown>;
  use(middleware: Middleware | IdempotencyMiddleware<never, unknown>): Chain;
  before(hook: (request: ChainRequest) => unknown): Chain;
  after(hook: (request: ChainRequest) => unknown): Chain;
  onError(hook: (request: ChainRequest) => unknown): Chain;
}

export type Middy = (
  handler: (event: never, context: never) => unknown,
  plugin?: { timeoutEarlyInMillis?: number; timeoutEarlyResponse?: () => unknown },
) => Chain;

export interface MiddyPackages {
  readonly middy: Middy;
  readonly httpErrorHandler: (options: { logger: false }) => Middleware;
}

/**
 * The versions that the middleware is made for. Imported by names that the compiler does not see:
 * ts-node looks only for what `require` would get. `typed-chains.mts` holds the types to them.
 */
export const versions: Readonly<Record<string, () => Promise<MiddyPackages>>> = {
  '@middy/core 6': () => load('middy6', 'middy6-http-error-handler'),
  '@middy/core 7': () => load('@middy/core', '@middy/http-error-handler'),
};

async function load(core: string, errorHandler: string): Promise<MiddyPackages> {
  const { default: middy } = (await import(core)) as { default: Middy };
  const { default: httpErrorHandler } = (await import(errorHandler)) as {
    default: MiddyPackages['httpErrorHandler'];
  };
  return { middy, httpErrorHandler };
}
