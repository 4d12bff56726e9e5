import { expect } from 'chai';
import { inspect } from 'node:util';
import {
  IdempotencyClaimLostError,
  IdempotencyCommitError,
  IdempotencyStoreError,
} from '../../../lib/errors/index.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import type { Commit, Completion } from '../../../lib/store/idempotency-store.js';
import { expectRejection } from '../../support/expect-rejection.js';
import {
  makeSdkError,
  output,
  RecordingClient,
  sdkError,
  type Answer,
} from '../../support/recording-client.js';

const NOW_MS = Date.UTC(2030, 0, 1);
const TOKEN = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';
const WRITE = { Put: { TableName: 'orders', Item: { id: { S: 'o1' }, card: { S: '4242' } } } };
const SECRET = 'visa-4242';

function completion(overrides: Partial<Completion> = {}): Completion {
  return { status: 'COMPLETED', nowMs: NOW_MS, ttlMs: 3_600_000, result: '1', ...overrides };
}

function commitOf(token = TOKEN, overrides: Partial<Completion> = {}): Commit {
  const claim = { id: 'o1', token, inProgressUntilMs: NOW_MS + 60_000, tookOver: false };
  return { token, outcome: { claim, completion: completion(overrides) }, writes: [WRITE] };
}

const ALONE: Commit = { token: TOKEN, writes: [WRITE] };

interface Reason {
  readonly Code?: string;
  readonly Item?: object;
  readonly Message?: string;
}

function cancelled(reasons: readonly Reason[], attempts = 1): Answer {
  return sdkError('TransactionCanceledException', {
    CancellationReasons: reasons,
    $metadata: { httpStatusCode: 400, attempts, requestId: 'REQUEST' },
  });
}

function recordItem(status: string, token: string): object {
  return {
    id: { S: 'o1' },
    status: { S: status },
    claim_token: { S: token },
    result: { S: SECRET },
  };
}

describe('DynamoDBStore', () => {
  describe('commit', () => {
    let client: RecordingClient;
    let store: DynamoDBStore;

    beforeEach(() => {
      client = new RecordingClient();
      store = new DynamoDBStore({ table: 'records', client });
    });

    async function failure(commit: Commit, ...answers: readonly Answer[]) {
      client.next(...answers);
      const error = await expectRejection(store.commit(commit));
      expect(inspect(error, { depth: 10, showHidden: true })).to.not.include(SECRET);
      return error;
    }

    it('completes the record and applies the writes in one request', async () => {
      await store.commit(commitOf());

      expect(client.names).to.deep.equal(['TransactWriteItems']);
      expect(client.last.input).to.deep.equal({
        ClientRequestToken: TOKEN,
        TransactItems: [
          {
            Update: {
              TableName: 'records',
              Key: { id: { S: 'o1' } },
              UpdateExpression:
                'SET #status = :status, #expires = :expires, #completed = :completed, #result = :result REMOVE #until',
              ConditionExpression: '#token = :token AND #status = :inprogress',
              ExpressionAttributeNames: {
                '#status': 'status',
                '#expires': 'expires_at',
                '#completed': 'completed_at',
                '#result': 'result',
                '#until': 'in_progress_until',
                '#token': 'claim_token',
              },
              ExpressionAttributeValues: {
                ':status': { S: 'COMPLETED' },
                ':expires': { N: String(NOW_MS / 1000 + 3600) },
                ':completed': { N: String(NOW_MS / 1000) },
                ':result': { S: '1' },
                ':token': { S: TOKEN },
                ':inprogress': { S: 'INPROGRESS' },
              },
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
          WRITE,
        ],
      });
    });

    it('sends the writes alone where there is no outcome', async () => {
      await store.commit(ALONE);

      expect(client.last.input).to.deep.equal({
        ClientRequestToken: TOKEN,
        TransactItems: [WRITE],
      });
    });

    it('sends the very same request again when it is repeated', async () => {
      const commit = commitOf();
      client.next(cancelled([{ Code: 'None' }, { Code: 'TransactionConflict' }]));
      await expectRejection(store.commit(commit));
      await store.commit(commit);

      expect(client.seen[1]?.input).to.equal(client.seen[0]?.input);
    });

    it('makes a request token of one that DynamoDB finds too long', async () => {
      const tokens: string[] = [];
      for (const token of ['t'.repeat(36), 't'.repeat(37), 't'.repeat(37), 't'.repeat(38), '']) {
        await store.commit({ ...ALONE, token });
        tokens.push((client.last.input as { ClientRequestToken: string }).ClientRequestToken);
      }

      expect(tokens[0]).to.equal('t'.repeat(36));
      expect(tokens[1]).to.match(/^[0-9a-f]{36}$/);
      expect(tokens[2]).to.equal(tokens[1]);
      expect(new Set(tokens).size).to.equal(4);
      expect(tokens[4]).to.have.length(36);
    });

    describe('when the record refuses', () => {
      const refusals: Record<string, (item?: object) => Answer[]> = {
        'returning the item': (item) => [
          cancelled([
            { Code: 'ConditionalCheckFailed', ...(item === undefined ? {} : { Item: item }) },
            { Code: 'None' },
          ]),
          // Where it is gone no item comes back, which looks like an engine that returns none.
          output(),
        ],
        'returning nothing': (item) => [
          cancelled([{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }]),
          output(item === undefined ? {} : { Item: item }),
        ],
        'with codes in the message alone': (item) => [
          () =>
            Promise.reject(
              Object.assign(makeSdkError('TransactionCanceledException'), {
                message:
                  'Transaction cancelled, please refer cancellation reasons for specific reasons [ConditionalCheckFailed, None]',
              }),
            ),
          output(item === undefined ? {} : { Item: item }),
        ],
      };
      for (const [how, answers] of Object.entries(refusals)) {
        describe(how, () => {
          it('takes a record that we completed for success', async () => {
            client.next(...answers(recordItem('COMPLETED', TOKEN)));

            await store.commit(commitOf());
          });

          it('is lost when another token is on it, completed or not', async () => {
            for (const status of ['COMPLETED', 'INPROGRESS']) {
              const error = await failure(commitOf(), ...answers(recordItem(status, 'other')));

              expect(error).to.be.instanceOf(IdempotencyClaimLostError);
              client = new RecordingClient();
              store = new DynamoDBStore({ table: 'records', client });
            }
          });

          it('is lost when it is gone', async () => {
            expect(await failure(commitOf(), ...answers())).to.be.instanceOf(
              IdempotencyClaimLostError,
            );
            expect(client.seen.at(-1)?.input).to.deep.include({ ConsistentRead: true });
          });

          it('is no success under our own token while in progress', async () => {
            const error = await failure(commitOf(), ...answers(recordItem('INPROGRESS', TOKEN)));

            expect(error).to.be.instanceOf(IdempotencyStoreError);
            expect(error).to.include({ retryable: true });
          });
        });
      }

      it('judges plain items of a document client too', async () => {
        const Item = { id: 'o1', status: 'COMPLETED', claim_token: TOKEN };
        client.next(cancelled([{ Code: 'ConditionalCheckFailed', Item }, { Code: 'None' }]));

        await store.commit(commitOf());
      });

      it('rejects when the record cannot be read', async () => {
        const error = await failure(
          commitOf(),
          cancelled([{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }]),
          sdkError('InternalServerError', { $fault: 'server' }),
        );

        expect(error).to.include({ retryable: true, maybeApplied: false });
      });
    });

    describe('when a write is refused', () => {
      const none = { Code: 'None' };
      for (const Code of [
        'ConditionalCheckFailed',
        'ValidationError',
        'ItemCollectionSizeLimitExceeded',
        'SomethingNew',
      ]) {
        it(`is cancelled for good by ${Code}`, async () => {
          const item = { Code, Item: recordItem('COMPLETED', TOKEN), Message: SECRET };
          const error = await failure(commitOf(), cancelled([none, item]));

          expect(error).to.be.instanceOf(IdempotencyCommitError);
          expect(error).to.deep.include({ outcome: 'cancelled', reasons: [Code] });
          expect(error.cause).to.deep.include({
            name: 'TransactionCanceledException',
            CancellationReasons: [none, { Code }],
          });
          expect(error.cause).to.have.nested.property('$metadata.requestId', 'REQUEST');
        });

        it(`is cancelled for good by ${Code} without a record`, async () => {
          const error = await failure(ALONE, cancelled([{ Code }]));

          expect(error).to.deep.include({ outcome: 'cancelled', reasons: [Code] });
        });
      }

      for (const Code of [
        'TransactionConflict',
        'ProvisionedThroughputExceeded',
        'ThrottlingError',
      ]) {
        it(`may be repeated after ${Code} on any item`, async () => {
          for (const reasons of [
            [none, { Code }],
            [{ Code }, none],
          ]) {
            const error = await failure(commitOf(), cancelled(reasons));

            expect(error).to.be.instanceOf(IdempotencyStoreError);
            expect(error).to.include({ retryable: true, maybeApplied: false, operation: 'commit' });
          }
        });

        it(`is cancelled for good by another write's reason beside ${Code}`, async () => {
          const commit = { ...commitOf(), writes: [WRITE, WRITE] };
          const reasons = [none, { Code }, { Code: 'ConditionalCheckFailed' }];
          const error = await failure(commit, cancelled(reasons));

          expect(error).to.deep.include({
            outcome: 'cancelled',
            reasons: [Code, 'ConditionalCheckFailed'],
          });
        });
      }

      // An attempt before it may have been applied: no record fences the writes off.
      it('leaves writes without a record in doubt after several attempts', async () => {
        const error = await failure(ALONE, cancelled([{ Code: 'ConditionalCheckFailed' }], 2));

        expect(error).to.include({ outcome: 'unknown' });
      });

      it('keeps a conflict after several attempts in doubt', async () => {
        const error = await failure(
          commitOf(),
          cancelled([none, { Code: 'TransactionConflict' }], 2),
        );

        expect(error).to.include({ retryable: true, maybeApplied: true });
      });
    });

    describe('when the record is too large for the engine', () => {
      const tooLarge: Record<string, Answer> = {
        'as a reason': cancelled([{ Code: 'ValidationError' }, { Code: 'None' }]),
        'as a whole': sdkError('ValidationException', {
          message: 'Item size to update has exceeded the maximum allowed size',
        }),
      };
      for (const [how, answer] of Object.entries(tooLarge)) {
        it(`sends smaller forms (${how}), each under a token of its own`, async () => {
          const commit = commitOf(TOKEN, { result: JSON.stringify('a'.repeat(5000)) });
          client.next(answer, answer);
          await store.commit(commit);
          await store.commit(commit);

          const inputs = client.seen.map(({ input }) => input as Sent);
          const values = inputs.map(
            (input) => input.TransactItems[0].Update.ExpressionAttributeValues,
          );
          expect(values[0]).to.have.nested.property(':result.S');
          expect(values[1]).to.have.nested.property(':result.B');
          expect(values[2]).to.deep.include({ ':omitted': { S: 'too-large' } });
          expect(new Set(inputs.map((input) => input.ClientRequestToken)).size).to.equal(3);
          expect(inputs[3]).to.equal(inputs[2]);
        });
      }

      it('fails when nothing is left to leave out', async () => {
        const answer = cancelled([{ Code: 'ValidationError' }, { Code: 'None' }]);
        const error = await failure(commitOf(), answer, answer, answer);

        expect(error).to.be.instanceOf(IdempotencyStoreError);
        expect(error).to.include({ retryable: false, maybeApplied: false });
        expect(client.seen).to.have.length(3);
      });
    });

    const failures: Record<string, { retryable: boolean; maybeApplied: boolean; message: RegExp }> =
      {
        TransactionInProgressException: {
          retryable: true,
          maybeApplied: true,
          message: /still going on/,
        },
        IdempotentParameterMismatchException: {
          retryable: false,
          maybeApplied: true,
          message: /same token/,
        },
        AccessDeniedException: {
          retryable: false,
          maybeApplied: false,
          message:
            /access is denied.*dynamodb:PutItem, UpdateItem, DeleteItem, or ConditionCheckItem/,
        },
        ResourceNotFoundException: {
          retryable: false,
          maybeApplied: false,
          message: /a table of the transaction does not exist.*deferred writes/,
        },
        ValidationException: {
          retryable: false,
          maybeApplied: false,
          message: /the transaction as invalid.*no two on one item/,
        },
        SerializationException: {
          retryable: false,
          maybeApplied: false,
          message: /cannot read the transaction.*marshall/,
        },
        UnknownOperationException: {
          retryable: false,
          maybeApplied: false,
          message: /the engine knows no transactions/,
        },
        ProvisionedThroughputExceededException: {
          retryable: true,
          maybeApplied: false,
          message: /throttles/,
        },
      };
    for (const [name, { message, ...expected }] of Object.entries(failures)) {
      it(`tells what ${name} means`, async () => {
        const error = await failure(commitOf(), sdkError(name));

        expect(error).to.be.instanceOf(IdempotencyStoreError);
        expect(error).to.include({ ...expected, operation: 'commit', table: 'records' });
        expect(error.message).to.match(message);
        expect(error.cause).to.include({ name });
      });
    }

    it('tells a missing permission on one of the tables', async () => {
      const error = await failure(
        commitOf(),
        cancelled([{ Code: 'None' }, { Code: 'AccessDenied' }]),
      );

      expect(error).to.include({ retryable: false, maybeApplied: false });
      expect(error.message).to.match(/access is denied.*Allow dynamodb:GetItem/);
    });

    it('leaves a lost connection in doubt', async () => {
      const lost = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      const error = await failure(commitOf(), () => Promise.reject(lost));

      expect(error).to.include({ retryable: true, maybeApplied: true });
    });

    it('takes a single refusal of a bad client for no success', async () => {
      const error = await failure(commitOf(), sdkError('ConditionalCheckFailedException'));

      expect(error).to.not.be.instanceOf(IdempotencyClaimLostError);
    });
  });
});

interface Sent {
  readonly ClientRequestToken: string;
  readonly TransactItems: readonly [{ Update: { ExpressionAttributeValues: object } }];
}
