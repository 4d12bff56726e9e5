import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { Readable } from 'node:stream';
import { IdempotencyStoreError } from '../../lib/errors/index.js';
import { DynamoDBStore } from '../../lib/store/dynamodb/index.js';
import { expectRejection } from '../support/expect-rejection.js';

const claim = { id: 'k', token: 't', inProgressUntilMs: Date.UTC(2030, 0, 1), tookOver: false };

/** The failure of a completion to which something on the way answers. */
async function failureAfter(statusCode: number, body: string): Promise<IdempotencyStoreError> {
  const answer = { statusCode, headers: {}, body: Readable.from([Buffer.from(body)]) };
  const client = new DynamoDBClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
    requestHandler: { handle: () => Promise.resolve({ response: answer }) } as never,
  });
  const store = new DynamoDBStore({ table: 'idempotency', client });
  const completion = { status: 'COMPLETED', nowMs: claim.inProgressUntilMs, ttlMs: 1000 } as const;
  return expectRejection(store.complete(claim, completion), IdempotencyStoreError);
}

/** They counted as final: a completion whose reply a proxy had cut short was not written again. */
describe('replies that cannot be read', () => {
  it('count as lost: the write may have been applied, and may be repeated', async () => {
    for (const body of ['{', '<html>Please log in</html>']) {
      const error = await failureAfter(200, body);

      expect(error).to.include({ retryable: true, maybeApplied: true });
      expect(error.message).to.contain('the reply cannot be read (HTTP status 200)');
    }
  });

  it('count as lost from a server that fails, too', async () => {
    const error = await failureAfter(502, '<html>Bad gateway</html>');

    expect(error).to.include({ retryable: true, maybeApplied: true });
  });

  it('refuse the write where their status says so', async () => {
    const error = await failureAfter(400, '{"__type":"com.amaz');

    expect(error).to.include({ retryable: true, maybeApplied: false });
  });

  it('are not quoted in the message', async () => {
    const error = await failureAfter(200, '<html>secret</html>');

    expect(error.message).not.to.contain('secret');
  });
});
