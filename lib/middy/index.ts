/**
 * `mayfly-idempotency/middy`: a middleware for `@middy/core` 6 and 7. Nothing here loads Middy.
 *
 * @module mayfly-idempotency/middy
 */
export { idempotencyMiddleware } from './idempotency-middleware.js';
export type { IdempotencyMiddleware, MiddlewareOptions, MiddyRequest } from './middy-shapes.js';
