import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import type { ClaimRequest } from '../../../lib/store/idempotency-store.js';
import { RedisStore } from '../../../lib/store/redis/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { freePort } from '../../support/engines/redis-server.js';
import { ioredis, nodeRedis } from './clients.js';
import { RedisBench } from './redis-bench.js';

const nowMs = Date.UTC(2031, 0, 1);
const request: ClaimRequest = {
  ...{ id: 'orders#1', token: 't1', nowMs, ttlMs: 1000 },
  ...{ inProgressUntilMs: nowMs + 60_000, onExpiredClaim: 'run' },
};
const failure = (store: RedisStore) => expectRejection(store.claim(request), IdempotencyStoreError);

/** Closes what a spec has opened, however it ended: an open client keeps the process alive. */
const open: (() => void)[] = [];
const closeAll = () => {
  for (const close of open.splice(0)) close();
};

describe('RedisStore without a server', () => {
  afterEach(closeAll);

  it('knows of node-redis that a waiting claim was not made', async () => {
    const { client, close } = await nodeRedis({ port: await freePort(), unconnected: true });
    open.push(close);

    const error = await failure(new RedisStore({ client, timeout: 0.05 }));

    expect(error).to.include({ retryable: true, maybeApplied: false });
    expect(error.reason).to.equal('Redis did not answer within 0.05 s');
    expect(error.hint).to.match(/^The client has no connection/);
  });

  it('does not know it of ioredis', async () => {
    const { client, close } = await ioredis({ port: await freePort(), unconnected: true });
    open.push(close);

    const error = await failure(new RedisStore({ client, timeout: 0.05 }));

    expect(error).to.include({ retryable: true, maybeApplied: true });
    expect(error.hint).to.match(/^The client has no connection/);
  });

  it('says so where ioredis gives up by itself', async () => {
    const client = new Redis(await freePort(), '127.0.0.1', {
      ...{ maxRetriesPerRequest: 1, retryStrategy: () => 1 },
    });
    client.on('error', () => undefined);
    open.push(() => {
      client.disconnect();
    });

    const error = await failure(new RedisStore({ client }));

    expect(error).to.include({ retryable: true, maybeApplied: true });
    expect(error.reason).to.equal('the connection to Redis failed or gave no answer in time');
  });

  it('says so where node-redis gives up by itself', async () => {
    const client = createClient({
      socket: { host: '127.0.0.1', port: await freePort(), reconnectStrategy: false },
    });
    client.on('error', () => undefined);
    void client.connect().catch(() => undefined);

    const error = await failure(new RedisStore({ client }));

    expect(error).to.include({ retryable: true, maybeApplied: false });
    expect(error.reason).to.equal('Redis cannot be reached');
  });
});

describe('RedisStore with a client', () => {
  const bench = new RedisBench(nodeRedis).runs();

  afterEach(closeAll);

  it('of node-redis that was never connected says to connect it', async () => {
    const error = await failure(new RedisStore({ client: createClient() }));

    expect(error).to.include({ retryable: false, maybeApplied: false });
    expect(error.hint).to.include('client.connect()');
  });

  it('that has been closed says so', async () => {
    for (const connect of [nodeRedis, ioredis]) {
      const { client, close } = await connect({ port: bench.server.port });
      close();

      const error = await failure(new RedisStore({ client }));

      expect(error.retryable).to.be.false;
      expect(error.reason).to.match(/closed/);
    }
  });

  it('that subscribes says to give the store its own', async () => {
    // With protocol 3 a subscriber takes other commands too.
    const client = new Redis(bench.server.port, '127.0.0.1', { protocol: 2 });
    open.push(() => {
      client.disconnect();
    });
    await client.subscribe('news');

    const error = await failure(new RedisStore({ client }));

    expect(error).to.include({ retryable: false, maybeApplied: false });
    expect(error.reason).to.equal('the connection is in use for subscriptions');
  });

  it('of node-redis reads bytes and speaks either protocol', async () => {
    for (const RESP of [2, 3] as const) {
      const client = createClient({
        socket: { host: '127.0.0.1', port: bench.server.port },
        commandOptions: { typeMapping: { 36: Buffer } },
        RESP,
      });
      await client.connect();
      open.push(() => {
        client.destroy();
      });
      const store = new RedisStore({ client, keyPrefix: `resp${RESP}:` });

      expect(await store.claim(request)).to.include({ claimed: true });
      const outcome = await store.claim({ ...request, token: 't2' });

      expect(outcome.claimed || outcome.record?.claimToken).to.equal('t1');
    }
  });

  it('of ioredis adds its own prefix and pipelines by itself', async () => {
    const client = new Redis(bench.server.port, '127.0.0.1', {
      ...{ keyPrefix: 'shop:', enableAutoPipelining: true },
    });
    open.push(() => {
      client.disconnect();
    });
    const store = new RedisStore({ client });

    const outcomes = await Promise.all(
      ['t1', 't2', 't3'].map((token) => store.claim({ ...request, id: 'raced', token })),
    );

    expect(outcomes.filter(({ claimed }) => claimed)).to.have.length(1);
    expect(await bench.command('EXISTS', 'shop:idempotency:raced')).to.equal(1);
  });
});
