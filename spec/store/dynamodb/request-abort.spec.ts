import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import { manualClock } from '../../../lib/testing/manual-clock.js';
import { deferred } from '../../support/deferred.js';
import { expectRejection } from '../../support/expect-rejection.js';

const request = {
  id: 'orders#o1',
  token: 'token-1',
  nowMs: 0,
  ttlMs: 60_000,
  inProgressUntilMs: 30_000,
  onExpiredClaim: 'run',
} as const;

const settings = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  maxAttempts: 3,
};

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
  const client = new DynamoDBClient({ ...settings, requestHandler: requestHandler as never });
  const clock = manualClock();
  const store = new DynamoDBStore({ table: 'idempotency', client, clock });
  const rejection = expectRejection(store.claim(request), IdempotencyStoreError);
  await arrived.promise;
  await clock.advance(5000);
  await rejection;
}

describe('a request of DynamoDBStore whose time is over', () => {
  it("closes its connection by the SDK's own request handler, and is not repeated", async () => {
    const arrived = deferred<undefined>();
    const closed = deferred<undefined>();
    let requests = 0;
    const server = createServer((incoming) => {
      requests += 1;
      incoming.socket.once('close', () => {
        closed.resolve(undefined);
      });
      arrived.resolve(undefined);
      // No answer.
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const client = new DynamoDBClient({
      ...settings,
      endpoint: `http://127.0.0.1:${String(port)}`,
    });
    const clock = manualClock();
    const store = new DynamoDBStore({ table: 'idempotency', client, clock });
    const rejection = expectRejection(store.claim(request), IdempotencyStoreError);
    await arrived.promise;

    await clock.advance(5000);
    await rejection;
    await closed.promise;
    expect(requests).to.equal(1);
    client.destroy();
    server.close();
  });

  for (const [what, metadata, isReal] of [
    ['for HTTP/1.1 on Node.js gets a plain signal', { handlerProtocol: 'http/1.1' }, false],
    ['for HTTP/2 on Node.js gets a plain signal', { handlerProtocol: 'h2' }, false],
    ['of any other kind gets an AbortSignal, which fetch insists on', undefined, true],
  ] as const) {
    it(`a request handler ${what}`, async () => {
      const arrived = deferred<{ readonly aborted: boolean }>();
      const requestHandler = {
        metadata,
        handle: (_request: unknown, options: { readonly abortSignal: AbortSignal }) => {
          arrived.resolve(options.abortSignal);
          return new Promise<never>(() => undefined);
        },
      };
      const client = new DynamoDBClient({ ...settings, requestHandler: requestHandler as never });
      const clock = manualClock();
      const store = new DynamoDBStore({ table: 'idempotency', client, clock });
      const rejection = expectRejection(store.claim(request), IdempotencyStoreError);
      const signal = await arrived.promise;

      expect(signal instanceof AbortSignal).to.equal(isReal);
      expect(signal.aborted).to.equal(false);
      await clock.advance(5000);
      await rejection;
      expect(signal.aborted).to.equal(true);
    });
  }
});

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
