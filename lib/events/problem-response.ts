import {
  isIdempotencyError,
  isIdempotencyInProgressError,
  isIdempotencyKeyError,
  type IdempotencyError,
  type IdempotencyErrorCode,
} from '../errors/index.js';

/** Options of {@link problemResponse}. */
export interface ProblemOptions {
  /**
   * The problem's type: the URL of what your API says about its idempotency keys, for all problems or
   * by the error's code.
   * @default 'about:blank', with the status's own words as the title
   */
  readonly type?: string | ((code: IdempotencyErrorCode) => string);
  /**
   * What titles and details call the key's header.
   * @default 'Idempotency-Key'
   */
  readonly header?: string;
}

/** A reply as API Gateway, load balancers and function URLs take it. */
export interface ProblemResponse {
  statusCode: number;
  headers: Record<string, string>;
  /** JSON: `type`, `title`, `status` and `detail`. */
  body: string;
}

interface Problem {
  readonly status: keyof typeof PHRASES;
  readonly title: string;
  readonly detail: string;
}

/** The words for a status, in RFC 9110. */
const PHRASES = {
  400: 'Bad Request',
  409: 'Conflict',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

/*
 * Texts of our own, not the errors' messages: those name methods, tables and what to do about them,
 * which is nothing for a client.
 */
const problems: Readonly<Record<IdempotencyErrorCode, (header: string) => Problem>> = {
  ERR_IDEMPOTENCY_KEY: (header) => ({
    status: 400,
    title: `${header} is not valid`,
    detail: `The request has no usable ${header}.`,
  }),
  ERR_IDEMPOTENCY_IN_PROGRESS: (header) => ({
    status: 409,
    title: `A request is outstanding for this ${header}`,
    detail: `An earlier request with this ${header} is still being processed. Send it again later.`,
  }),
  ERR_IDEMPOTENCY_PAYLOAD_MISMATCH: (header) => ({
    status: 422,
    title: `${header} is already used`,
    detail: `An earlier request with this ${header} was another one. Send a new request under a new key.`,
  }),
  ERR_IDEMPOTENCY_EXPIRED_CLAIM: (header) => ({
    status: 409,
    title: `The outcome for this ${header} is unknown`,
    detail: `An earlier request with this ${header} was interrupted and is being looked into. Sending it again does not help.`,
  }),
  ERR_IDEMPOTENCY_STORE: (header) => ({
    status: 503,
    title: `${header} cannot be checked`,
    detail: `Whether there was an earlier request with this ${header} cannot be told now. Send it again later, with the same key.`,
  }),
  ERR_IDEMPOTENCY_CLAIM_LOST: interrupted,
  ERR_IDEMPOTENCY_COMMIT: interrupted,
  ERR_IDEMPOTENCY_RESULT_UNAVAILABLE: (header) => ({
    status: 500,
    title: `The response for this ${header} is not available`,
    detail: `An earlier request with this ${header} succeeded, but its response was not kept.`,
  }),
  ERR_IDEMPOTENCY_RECORD: (header) => ({
    status: 500,
    title: `The response for this ${header} is not available`,
    detail: `What was kept of an earlier request with this ${header} cannot be read.`,
  }),
};

/**
 * Turns an error of this package into the reply for an HTTP client: problem details (RFC 9457,
 * `application/problem+json`) with the status codes that the Idempotency-Key draft asks for. No key,
 * payload, result, method or table is in it.
 *
 * | error | status |
 * | --- | --- |
 * | `IdempotencyKeyError` | 400 |
 * | `IdempotencyInProgressError` | 409, with `Retry-After` in whole seconds, rounded up |
 * | `IdempotencyPayloadMismatchError` | 422 |
 * | `IdempotencyExpiredClaimError` | 409 |
 * | `IdempotencyStoreError` | 503 |
 * | the others | 500 |
 *
 * @returns `undefined` for any other error, which the handler throws on as it would have done. A
 * reply hides an error from Lambda's metrics: log what is 500 or more.
 * @see https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07 "Error
 * Handling": 400, 409 and 422, their titles, and a body that links to documentation
 * @see https://www.rfc-editor.org/rfc/rfc9457 3.1 the members; 4.2.1 the title under `about:blank`
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 Retry-After
 *
 * @example
 * ```ts
 * try {
 *   return await this.pay(event, context);
 * } catch (error) {
 *   const reply = problemResponse(error, { type: 'https://developer.example.com/idempotency' });
 *   if (reply === undefined) throw error;
 *   return reply;
 * }
 * ```
 */
export function problemResponse(
  error: unknown,
  options: ProblemOptions = {},
): ProblemResponse | undefined {
  // Another copy of the package may be a newer one, with errors that this one does not know.
  if (!isIdempotencyError(error) || !Object.hasOwn(problems, error.code)) return undefined;
  const { type = 'about:blank', header = 'Idempotency-Key' } = options;
  const { status, title, detail } = problemOf(error, header);
  const uri = typeof type === 'function' ? type(error.code) : type;
  return {
    statusCode: status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Content-Language': 'en',
      ...retryAfter(error),
    },
    body: JSON.stringify({
      type: uri,
      title: uri === 'about:blank' ? PHRASES[status] : title,
      status,
      detail,
    }),
  };
}

function problemOf(error: IdempotencyError, header: string): Problem {
  if (isIdempotencyKeyError(error) && error.missing) {
    return {
      status: 400,
      title: `${header} is missing`,
      detail: `This operation requires a ${header}: a value that you choose once for a request and send again with each retry of it.`,
    };
  }
  return problems[error.code](header);
}

function interrupted(header: string): Problem {
  return {
    status: 500,
    title: `The request with this ${header} was interrupted`,
    detail: `What became of the request is not certain. Send it again with the same ${header}.`,
  };
}

function retryAfter(error: IdempotencyError): Record<string, string> {
  if (!isIdempotencyInProgressError(error) || !Number.isFinite(error.retryAfterMs)) return {};
  return { 'Retry-After': String(Math.ceil(Math.max(0, error.retryAfterMs) / 1000)) };
}
