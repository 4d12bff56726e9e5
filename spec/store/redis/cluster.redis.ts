import { expect } from 'chai';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { RedisStore, type RedisClientLike } from '../../../lib/store/redis/index.js';
import { describeStoreContract } from '../../../lib/testing/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import {
  freePort,
  startRedisServer,
  type RedisServer,
} from '../../support/engines/redis-server.js';
import { nodeRedis } from './clients.js';

const HALVES = [
  ['0', '8191'],
  ['8192', '16383'],
] as const;

/** A cluster of two primaries; what it is asked before it has formed is refused. */
class TestCluster {
  readonly servers: RedisServer[] = [];

  async start(): Promise<void> {
    const busPorts: number[] = [];
    for (const [first, last] of HALVES) {
      const busPort = await freePort();
      const server = await startRedisServer({
        'cluster-enabled': 'yes',
        'cluster-port': String(busPort),
      });
      this.servers.push(server);
      busPorts.push(busPort);
      await this.command(server, 'CLUSTER', 'ADDSLOTSRANGE', first, last);
    }
    const [one, other] = this.servers as [RedisServer, RedisServer];
    await this.command(
      ...([one, 'CLUSTER', 'MEET', '127.0.0.1'] as const),
      ...[String(other.port), String(busPorts[1])],
    );
    for (const server of this.servers) {
      while (!(await this.command(server, 'CLUSTER', 'INFO')).includes('cluster_state:ok'));
    }
  }

  async stop(): Promise<void> {
    for (const server of this.servers) await server.stop();
  }

  async command(server: RedisServer, ...args: readonly string[]): Promise<string> {
    const { command, close } = await nodeRedis({ port: server.port });
    const reply = await command(...args);
    close();
    return String(reply);
  }
}

const connections = {
  nodeRedis: async ([one]: readonly RedisServer[]) => {
    const client = createCluster({ rootNodes: [{ url: `redis://127.0.0.1:${one?.port}` }] });
    client.on('error', () => undefined);
    await client.connect();
    return { client, close: () => client.destroy() };
  },
  ioredis: async ([one]: readonly RedisServer[]) => {
    const client = new Cluster([{ host: '127.0.0.1', port: one?.port ?? 0 }], {
      lazyConnect: true,
    });
    await client.connect();
    return { client, close: () => client.disconnect() };
  },
};

describe('RedisStore on a cluster', () => {
  const cluster = new TestCluster();

  before('start the cluster', async function () {
    this.timeout(60_000);
    await cluster.start();
  });
  after('stop the cluster', () => cluster.stop());

  for (const [name, connect] of Object.entries(connections)) {
    describe(`through ${name}`, () => {
      let connected: { readonly client: RedisClientLike; close(): void };

      before('connect', async () => {
        connected = await connect(cluster.servers);
      });
      after('close', () => {
        connected.close();
      });

      describeStoreContract('RedisStore', {
        create: () => ({ store: new RedisStore({ client: connected.client, clockSkew: 1 }) }),
        clockSkewSeconds: 1,
        expiryGranularityMs: 1,
      });
    });
  }

  describe('through a client of one node', () => {
    it('says which client it takes', async () => {
      const [one] = cluster.servers;
      const { client, close } = await nodeRedis({ port: one?.port ?? 0 });
      after(close);
      const store = new RedisStore({ client });
      const claims = Array.from({ length: 30 }, (_, index) =>
        store.get(`order-${index}`).catch((error: unknown) => error),
      );

      const failed = (await Promise.all(claims)).filter((each) => each !== undefined);

      expect(failed).not.to.be.empty;
      for (const error of failed) {
        const { retryable, hint } = await expectRejection(
          Promise.reject(error),
          IdempotencyStoreError,
        );
        expect(retryable).to.be.false;
        expect(hint).to.include('createCluster');
      }
    });
  });
});
