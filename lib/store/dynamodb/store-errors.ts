import type { RequestFailure } from '../request-failure.js';

/*
 * The SDK's errors are told apart by name: `instanceof` fails where the user's client comes from
 * another copy or version of the SDK. Their messages stay in `cause`, since some quote the request.
 */

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly $fault?: unknown;
  readonly $retryable?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown; readonly attempts?: unknown };
}

const credentials = {
  reason: 'AWS does not accept the credentials',
  hint: "Check the process's AWS credentials and its clock",
  retryable: false,
  refused: true,
} satisfies RequestFailure;

const expired = {
  reason: 'the AWS credentials have expired',
  hint: 'Renew them; on AWS use the role of the function or container, which renews itself',
  retryable: false,
  refused: true,
} satisfies RequestFailure;

const throttled = {
  reason: 'DynamoDB throttles the requests',
  hint: "Give the table on-demand capacity, or more of it; look at the table's throttle metrics",
  retryable: true,
  refused: true,
} satisfies RequestFailure;

/** Source: Amazon DynamoDB API Reference, "Common Errors" and the errors of each action. */
const byName: Readonly<Record<string, RequestFailure>> = {
  ResourceNotFoundException: {
    reason: 'the table does not exist',
    hint: 'Create it with createIdempotencyTable from mayfly-idempotency/dynamodb, or correct the name (MAYFLY_IDEMPOTENCY_TABLE, `table`), the Region or the endpoint',
    retryable: false,
    refused: true,
  },
  AccessDeniedException: {
    reason: 'access is denied',
    hint: 'Allow dynamodb:GetItem, dynamodb:PutItem, dynamodb:UpdateItem and dynamodb:DeleteItem on the table to the role that runs this code',
    retryable: false,
    refused: true,
  },
  UnrecognizedClientException: credentials,
  InvalidClientTokenId: credentials,
  InvalidSignatureException: credentials,
  IncompleteSignatureException: credentials,
  MissingAuthenticationTokenException: credentials,
  NotAuthorized: credentials,
  OptInRequired: credentials,
  ExpiredToken: expired,
  ExpiredTokenException: expired,
  TokenRefreshRequired: expired,
  CredentialsProviderError: {
    reason: 'there are no AWS credentials',
    hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE, or run under a role; engines on your own machine accept any',
    retryable: false,
    refused: true,
    neverSent: true,
  },
  ProvisionedThroughputExceededException: throttled,
  ThrottlingException: throttled,
  Throttling: throttled,
  RequestLimitExceeded: throttled,
  RequestThrottled: throttled,
  TooManyRequestsException: throttled,
  TransactionConflictException: {
    reason: 'a transaction is working on the same record',
    retryable: true,
    refused: true,
  },
  TransactionCanceledException: {
    reason: 'the transaction was cancelled',
    retryable: false,
    refused: true,
  },
  TransactionInProgressException: {
    reason: 'an earlier attempt at the transaction is still going on',
    retryable: true,
    refused: false, // This attempt was; the one that is going on may be applied.
  },
  IdempotentParameterMismatchException: {
    reason: 'another transaction was sent with the same token',
    retryable: false,
    refused: false, // That one may have been applied.
  },
  UnknownOperationException: {
    reason: 'the engine does not know the operation',
    retryable: false,
    refused: true,
  },
  ReplicatedWriteConflictException: {
    reason: 'another Region is writing the same record',
    retryable: true,
    refused: true,
  },
  ConditionalCheckFailedException: {
    reason: "the write's condition does not hold",
    retryable: false,
    refused: true,
  },
  ItemCollectionSizeLimitExceededException: {
    reason: "the item collection of the table's partition key is full (10 GB)",
    hint: 'Keep the id in the partition key: sortKey: { name, value }',
    retryable: false,
    refused: true,
  },
};

/** Errors of Node's network calls in which no request can have reached the service. */
const notConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const notReachable: RequestFailure = {
  reason: 'DynamoDB cannot be reached',
  hint: 'Check the network, the Region and the endpoint (AWS_REGION, AWS_ENDPOINT_URL_DYNAMODB)',
  retryable: true,
  refused: true,
};

const connectionLost = new Set(
  'ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ESOCKETTIMEDOUT ERR_STREAM_PREMATURE_CLOSE'.split(
    ' ',
  ),
);
const connectionNames = new Set([
  'TimeoutError',
  'RequestTimeout',
  'RequestTimeoutException',
  'AbortError',
  'NetworkingError',
]);

/** What happened, from whatever a client threw. */
export function describeFailure(thrown: unknown): RequestFailure {
  if (typeof thrown !== 'object' || thrown === null) {
    return {
      reason: 'the client rejected without an error',
      retryable: false,
      refused: false,
    };
  }
  const error = thrown as SdkError;
  const { name, code } = error;
  if (typeof name === 'string' && Object.hasOwn(byName, name) && byName[name] !== undefined) {
    return byName[name];
  }
  if (name === 'ValidationException') return describeValidation(error);
  if (typeof code === 'string' && notConnected.has(code)) return notReachable;
  if (isConnectionLost(name, code)) {
    return {
      reason: 'the connection to DynamoDB failed or gave no answer in time',
      retryable: true,
      refused: false,
    };
  }
  if (/region is missing/i.test(messageOf(error))) {
    return {
      reason: 'no AWS Region is set',
      hint: 'Set AWS_REGION, or give clientConfig: { region }',
      retryable: false,
      refused: true,
      neverSent: true,
    };
  }
  if (name === 'SyntaxError' && statusOf(error) !== undefined) return describeUnreadable(error);
  return describeByStatus(error);
}

/** How many attempts the SDK made, as far as the error or output says so. */
export function attemptsOf(value: unknown): number | undefined {
  const attempts = (value as SdkError | null | undefined)?.$metadata?.attempts;
  return typeof attempts === 'number' ? attempts : undefined;
}

/** Whether the engine refused an item for its size. */
export function isItemTooLarge(thrown: unknown): boolean {
  const error = thrown as SdkError | null | undefined;
  return error?.name === 'ValidationException' && /item size/i.test(messageOf(error));
}

/** Whether a write was refused by its condition. */
export function isConditionRefused(
  thrown: unknown,
): thrown is { readonly name: string; readonly Item?: unknown } {
  return (thrown as SdkError | null | undefined)?.name === 'ConditionalCheckFailedException';
}

function describeValidation(error: SdkError): RequestFailure {
  const message = messageOf(error);
  const refused = { retryable: false, refused: true };
  if (/item size/i.test(message)) {
    return {
      ...refused,
      reason: 'the item is larger than the 400 KB that DynamoDB takes',
    };
  }
  if (/size of (hash|range) ?key|hash primary key|aggregated size of all range/i.test(message)) {
    return {
      ...refused,
      reason: 'the key is too long for the table',
      hint: 'Shorten `keyPrefix` and the namespace: a partition key holds 2,048 bytes, a sort key 1,024',
    };
  }
  if (/\bkeys?\b/i.test(message)) {
    return {
      ...refused,
      reason: "the record's key does not fit the table's key schema",
      hint: 'The table needs the partition key `id` of type String; name others with `attributes: { id }` and `sortKey`',
    };
  }
  return { ...refused, reason: 'DynamoDB refuses the request as invalid (ValidationException)' };
}

function isConnectionLost(name: unknown, code: unknown): boolean {
  return (
    (typeof code === 'string' && connectionLost.has(code)) ||
    (typeof name === 'string' && connectionNames.has(name))
  );
}

/** A reply of which something on the way kept a part, or that something on the way made. */
function describeUnreadable(error: SdkError): RequestFailure {
  const status = statusOf(error) ?? 0;
  return {
    reason: `the reply cannot be read (HTTP status ${String(status)})`,
    hint: 'Look for a proxy between this process and DynamoDB',
    retryable: true,
    refused: status >= 400 && status < 500,
  };
}

function describeByStatus(error: SdkError): RequestFailure {
  const statusCode = statusOf(error) ?? 0;
  const server = error.$fault === 'server' || statusCode >= 500;
  return {
    reason: server ? `DynamoDB is unavailable (${label(error)})` : label(error),
    retryable: server || statusCode === 429 || typeof error.$retryable === 'object',
    refused: !server && (error.$fault === 'client' || (statusCode >= 400 && statusCode < 500)),
  };
}

function statusOf({ $metadata }: SdkError): number | undefined {
  const status = $metadata?.httpStatusCode;
  return typeof status === 'number' ? status : undefined;
}

/** The error's name where it reads like one; it may come from anywhere. */
function label({ name }: SdkError): string {
  return typeof name === 'string' && /^[\w.-]{1,64}$/.test(name) ? name : 'an unknown error';
}

function messageOf({ message }: SdkError): string {
  return typeof message === 'string' ? message : '';
}
