import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { IdempotencyStoreError } from '../../lib/errors/index.js';
import { DynamoDBStore } from '../../lib/store/dynamodb/index.js';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

const request = {
  id: 'orders#o1',
  token: 'token-1',
  nowMs: 0,
  ttlMs: 60_000,
  inProgressUntilMs: 30_000,
  onExpiredClaim: 'run',
} as const;

/** Lets a request of a store run out of time, on a request handler of one's own for HTTP/1.1. */
async function abortSeenBy(handle: (signal: AbortSignal) => void): Promise<void> {
  const arrived = deferred<undefined>();
  const requestHandler = {
    metadata: { handlerProtocol: 'http/1.1' },
    handle: (_request: unknown, options: { readonly abortSignal: AbortSignal }) => {
      handle(options.abortSignal);
      arrived.resolve(undefined);
      return new Promise<never>(() => undefined);
    },
  };
  const client = new DynamoDBClient({
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: requestHandler as never,
  });
  const clock = manualClock();
  const store = new DynamoDBStore({ table: 'idempotency', client, clock });
  const rejection = expectRejection(store.claim(request), IdempotencyStoreError);
  await arrived.promise;
  await clock.advance(5000);
  await rejection;
}

describe('the signal of a request whose time is over', () => {
  it('gives functions and objects that listen an abort event of an aborted signal', async () => {
    const events: Event[] = [];

    await abortSeenBy((signal) => {
      signal.onabort = (event) => events.push(event);
      signal.addEventListener('abort', (event) => events.push(event));
      signal.addEventListener('abort', { handleEvent: (event: Event) => events.push(event) });
    });

    expect(events.map(({ type }) => type)).to.deep.equal(['abort', 'abort', 'abort']);
    expect(events.map(({ target }) => (target as AbortSignal).aborted)).to.not.include(false);
  });

  it('does not reach who has stopped listening', async () => {
    let heard = 0;
    const listener = (): unknown => (heard += 1);

    await abortSeenBy((signal) => {
      signal.addEventListener('abort', listener);
      signal.removeEventListener('abort', listener);
    });

    expect(heard).to.equal(0);
  });

  it('throws from throwIfAborted what an AbortSignal throws, from the abort on', async () => {
    let seen: AbortSignal | undefined;

    await abortSeenBy((signal) => {
      signal.throwIfAborted();
      seen = signal;
    });

    expect(() => seen?.throwIfAborted())
      .to.throw(DOMException)
      .with.property('name', 'AbortError');
  });
});
