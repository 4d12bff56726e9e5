import { expect } from 'chai';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import type { Claim, ClaimRequest } from '../../../lib/store/idempotency-store.js';
import { manualClock } from '../../../lib/testing/index.js';
import { deferred } from '../../support/deferred.js';
import { expectRejection } from '../../support/expect-rejection.js';
import {
  makeSdkError,
  output,
  RecordingClient,
  refused,
  type Answer,
} from '../../support/recording-client.js';

const SECRET = 'customer-4711';

const request: ClaimRequest = {
  id: `orders#${SECRET}`,
  token: 'token-1',
  nowMs: 1_764_581_338_123,
  ttlMs: 3_600_000,
  inProgressUntilMs: 1_764_581_398_123,
  onExpiredClaim: 'run',
};
const claim: Claim = {
  id: request.id,
  token: 'token-1',
  inProgressUntilMs: request.inProgressUntilMs,
  tookOver: false,
};

async function claimFailure(...answers: readonly Answer[]): Promise<IdempotencyStoreError> {
  const store = new DynamoDBStore({
    table: 'idem',
    client: new RecordingClient().next(...answers),
  });
  return expectRejection(store.claim(request), IdempotencyStoreError);
}

function rejecting(error: unknown): Answer {
  return () => Promise.reject(error);
}

interface Expected {
  readonly error: Error;
  readonly says: RegExp;
  readonly retryable: boolean;
  readonly maybeApplied: boolean;
}

const ATTEMPTS_2 = { $metadata: { httpStatusCode: 400, attempts: 2 } };

function validation(message: string): Error {
  return Object.assign(makeSdkError('ValidationException'), { message });
}

function network(code: string, attempts?: number): Error {
  return Object.assign(new Error(`${code} 127.0.0.1`), {
    code,
    ...(attempts === undefined ? {} : { $metadata: { attempts } }),
  });
}

const definite = { retryable: false, maybeApplied: false };
const busy = { retryable: true, maybeApplied: false };
const unknown = { retryable: true, maybeApplied: true };

const cases: Readonly<Record<string, Expected>> = {
  'a missing table': {
    ...definite,
    error: makeSdkError('ResourceNotFoundException'),
    says: /the table does not exist.*Create it with createIdempotencyTable/,
  },
  'a missing permission': {
    ...definite,
    error: makeSdkError('AccessDeniedException'),
    says: /access is denied.*dynamodb:PutItem/,
  },
  'wrong credentials': {
    ...definite,
    error: makeSdkError('UnrecognizedClientException'),
    says: /does not accept the credentials/,
  },
  'expired credentials': {
    ...definite,
    error: makeSdkError('ExpiredTokenException'),
    says: /have expired.*Renew them/,
  },
  'missing credentials': {
    ...definite,
    error: Object.assign(new Error('Could not load'), { name: 'CredentialsProviderError' }),
    says: /no AWS credentials.*AWS_PROFILE/,
  },
  'a missing Region': {
    ...definite,
    error: new Error('Region is missing'),
    says: /no AWS Region is set.*AWS_REGION/,
  },
  'a key schema that does not fit': {
    ...definite,
    error: validation('The provided key element does not match the schema'),
    says: /does not fit the table's key schema.*sortKey/,
  },
  'a missing sort key': {
    ...definite,
    error: validation('One or more parameter values were invalid: Missing the key sk in the item'),
    says: /does not fit the table's key schema/,
  },
  'a key that is too long': {
    ...definite,
    error: validation(
      'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
    ),
    says: /key is too long.*keyPrefix/,
  },
  'an item that is too large': {
    ...definite,
    error: validation('Item size has exceeded the maximum allowed size'),
    says: /larger than the 400 KB/,
  },
  'another invalid request': {
    ...definite,
    error: validation(`Something about ${SECRET}`),
    says: /refuses the request as invalid/,
  },
  'provisioned throughput that is used up': {
    ...busy,
    error: makeSdkError('ProvisionedThroughputExceededException'),
    says: /throttles.*on-demand/,
  },
  throttling: { ...busy, error: makeSdkError('ThrottlingException'), says: /throttles/ },
  'the account limit': { ...busy, error: makeSdkError('RequestLimitExceeded'), says: /throttles/ },
  'a transaction on the record': {
    ...busy,
    error: makeSdkError('TransactionConflictException'),
    says: /a transaction is working/,
  },
  'a refused connection': {
    ...busy,
    error: network('ECONNREFUSED', 1),
    says: /cannot be reached.*AWS_ENDPOINT_URL_DYNAMODB/,
  },
  'a refused connection after other attempts': {
    ...unknown,
    error: network('ECONNREFUSED', 3),
    says: /cannot be reached/,
  },
  'a refused connection after who knows how many attempts': {
    ...unknown,
    error: network('ECONNREFUSED'),
    says: /cannot be reached/,
  },
  'throttling after other attempts': {
    ...unknown,
    error: makeSdkError('ThrottlingException', ATTEMPTS_2),
    says: /throttles/,
  },
  'missing credentials after other attempts': {
    retryable: false,
    maybeApplied: true,
    error: makeSdkError('CredentialsProviderError', ATTEMPTS_2),
    says: /no AWS credentials/,
  },
  'a lost connection': {
    ...unknown,
    error: network('ECONNRESET', 1),
    says: /the connection to DynamoDB failed/,
  },
  'a request that timed out': {
    ...unknown,
    error: Object.assign(new Error('timeout'), {
      name: 'TimeoutError',
      $metadata: { attempts: 1 },
    }),
    says: /gave no answer in time/,
  },
  'a request that was aborted': {
    ...unknown,
    error: Object.assign(new Error('Request aborted'), { name: 'AbortError' }),
    says: /gave no answer in time/,
  },
  'a fault of the service': {
    ...unknown,
    error: makeSdkError('InternalServerError', {
      $fault: 'server',
      $metadata: { httpStatusCode: 500, attempts: 1 },
    }),
    says: /unavailable \(InternalServerError\)/,
  },
  'an unknown refusal': {
    ...definite,
    error: makeSdkError('TeapotException'),
    says: /failed: TeapotException/,
  },
  'an unknown error': {
    retryable: false,
    maybeApplied: true,
    error: Object.assign(new Error(`boom ${SECRET}`), { name: `Weird\n${SECRET}` }),
    says: /an unknown error/,
  },
};

describe('DynamoDBStore errors', () => {
  // F73
  for (const [title, { error: cause, says, retryable, maybeApplied }] of Object.entries(cases)) {
    it(`tells ${title}`, async () => {
      const error = await claimFailure(rejecting(cause));

      expect(error.message).to.match(says);
      expect(error.message).to.contain('claim on table idem failed: ');
      expect(error).to.include({ operation: 'claim', table: 'idem', retryable, maybeApplied });
      expect(error.cause).to.equal(cause);
      expect(error.id).to.equal(request.id);
    });
  }

  // F73
  it('keeps messages on one line, and keys out of what is logged', async () => {
    for (const { error: cause } of Object.values(cases)) {
      const error = await claimFailure(rejecting(cause));

      expect(error.message).not.to.match(/\n/);
      expect(error.message).not.to.contain(SECRET);
      expect(JSON.stringify({ ...error })).not.to.contain(SECRET);
    }
  });

  it('names the operation', async () => {
    const failing = () =>
      new DynamoDBStore({
        table: 'idem',
        client: { send: () => Promise.reject(makeSdkError('AccessDeniedException')) },
      });
    const operations = {
      claim: failing().claim(request),
      renew: failing().renew(claim, request.inProgressUntilMs),
      complete: failing().complete(claim, { status: 'COMPLETED', nowMs: 1, ttlMs: 1 }),
      release: failing().release(claim),
      get: failing().get(request.id),
      forget: failing().forget(request.id),
    };
    for (const [operation, promise] of Object.entries(operations)) {
      const error = await expectRejection(promise, IdempotencyStoreError);
      expect(error.operation).to.equal(operation);
    }
  });

  it('never carries the item that refused a write', async () => {
    const error = await claimFailure(refused(), rejecting(makeSdkError('ThrottlingException')));

    expect(error.cause).to.have.property('name', 'ThrottlingException');
    expect(error.maybeApplied).to.equal(false);
  });

  // F01
  it('does not know what became of a claim whose later attempt was refused', async () => {
    const error = await claimFailure(
      refused(undefined, 2),
      rejecting(makeSdkError('ThrottlingException')),
    );

    expect(error.maybeApplied).to.equal(true);
  });

  it('knows that a failed read changed nothing', async () => {
    const client = new RecordingClient().next(rejecting(network('ECONNRESET', 1)));
    const store = new DynamoDBStore({ table: 'idem', client });

    const error = await expectRejection(store.get(request.id), IdempotencyStoreError);

    expect(error.maybeApplied).to.equal(false);
  });

  describe('of a client that does it wrong', () => {
    const wrongs: Readonly<Record<string, readonly [Answer, boolean]>> = {
      'rejects with undefined': [rejecting(undefined), true],
      'rejects with a string': [rejecting(SECRET), true],
      'resolves to undefined': [() => Promise.resolve(undefined), true],
      'resolves to a string': [() => Promise.resolve('ok'), true],
      'returns no promise': [() => undefined, true],
      'throws synchronously': [
        () => {
          throw new TypeError('bad command');
        },
        false,
      ],
      'throws undefined synchronously': [
        () => {
          throw undefined;
        },
        false,
      ],
    };
    for (const [title, [answer, maybeApplied]] of Object.entries(wrongs)) {
      it(`is one typed rejection where it ${title}`, async () => {
        const error = await claimFailure(answer);

        expect(error.code).to.equal('ERR_IDEMPOTENCY_STORE');
        expect(error).to.include({ retryable: false, maybeApplied });
        expect(error.message).not.to.contain(SECRET);
      });
    }
  });

  // F40
  describe('of a client that never answers', () => {
    function hanging(timeout?: number) {
      const clock = manualClock();
      const client = new RecordingClient();
      const never: Answer = () => new Promise(() => undefined);
      const store = new DynamoDBStore({
        table: 'idem',
        client,
        clock,
        ...(timeout === undefined ? {} : { timeout }),
      });
      return { clock, client: client.next(never, never), store };
    }

    it('is a retryable rejection of unknown outcome after the timeout', async () => {
      const { clock, client, store } = hanging();
      let settled = false;
      const rejection = expectRejection(store.claim(request), IdempotencyStoreError).finally(() => {
        settled = true;
      });

      await clock.advance(4999);
      expect(settled).to.equal(false);
      expect(client.last.abortSignal?.aborted).to.equal(false);
      await clock.advance(1);

      const error = await rejection;
      expect(error.message).to.contain('did not answer within 5 s');
      expect(error).to.include({ retryable: true, maybeApplied: true, operation: 'claim' });
      expect(client.last.abortSignal?.aborted).to.equal(true);
    });

    it('is cut to the time that the caller has', async () => {
      const { clock, store } = hanging(2);
      const rejections = [
        expectRejection(store.claim(request, { timeoutMs: 1200 })),
        expectRejection(store.release(claim, { timeoutMs: 10_000 })),
      ];

      await clock.advance(1200);
      expect((await rejections[0])?.message).to.contain('within 1.2 s');
      await clock.advance(800);
      expect((await rejections[1])?.message).to.contain('within 2 s');
    });

    it('sends nothing when no time is left', async () => {
      const { client, store } = hanging();

      for (const timeoutMs of [0, -5]) {
        const error = await expectRejection(
          store.claim(request, { timeoutMs }),
          IdempotencyStoreError,
        );
        expect(error).to.include({ retryable: true, maybeApplied: false });
      }
      expect(client.seen).to.have.lengthOf(0);
    });

    it('bounds the read after a refusal with the same timeout', async () => {
      const clock = manualClock();
      const write = deferred<never>();
      const client = new RecordingClient().next(
        () => write.promise,
        () => new Promise(() => undefined),
      );
      const store = new DynamoDBStore({ table: 'idem', client, clock });
      const rejection = expectRejection(store.claim(request), IdempotencyStoreError);

      await clock.advance(3000);
      write.reject(makeSdkError('ConditionalCheckFailedException'));
      await clock.advance(2000);

      const error = await rejection;
      expect(client.names).to.deep.equal(['PutItem', 'GetItem']);
      expect(error.maybeApplied).to.equal(false);
    });

    it('leaves no timer behind an operation that ended', async () => {
      const clock = manualClock();
      const client = new RecordingClient().next(
        output(),
        rejecting(makeSdkError('ThrottlingException')),
      );
      const store = new DynamoDBStore({ table: 'idem', client, clock });

      await store.claim(request);
      await expectRejection(store.claim(request));

      expect(clock.pendingTimers).to.equal(0);
    });

    it('keeps the process alive until it is told', async () => {
      const { clock, store } = hanging();
      const rejection = expectRejection(store.claim(request));
      await clock.advance(0);

      expect(clock.referencedTimers).to.equal(1);
      await clock.advance(5000);
      await rejection;
    });
  });
});
