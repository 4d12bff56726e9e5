import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { IdempotencyRecord } from '../../../lib/store/idempotency-store.js';
import { RedisStore, type RedisStoreOptions } from '../../../lib/store/redis/index.js';
import type { StoreHarness } from '../../../lib/testing/index.js';
import {
  freePort,
  startRedisServer,
  type RedisServer,
} from '../../support/engines/redis-server.js';
import type { Connect, ConnectedClient } from './clients.js';

interface Running {
  readonly server: RedisServer;
  readonly connected: ConnectedClient;
}

/** One server with one client on it, for the specs of one suite. */
export class RedisBench {
  readonly #connect: Connect;
  readonly #config: Readonly<Record<string, string>>;
  readonly #password: string | undefined;
  #running: Running | undefined;

  constructor(connect: Connect, config: Readonly<Record<string, string>> = {}, password?: string) {
    this.#connect = connect;
    this.#config = config;
    this.#password = password;
  }

  /** Registers the server's start and stop in the enclosing suite. */
  runs(): this {
    before('start the server', async () => {
      const server = await startRedisServer(this.#config);
      const password = this.#password;
      const setting = { port: server.port, ...(password !== undefined && { password }) };
      this.#running = { server, connected: await this.#connect(setting) };
    });
    after('stop the server', async () => {
      this.#running?.connected.close();
      await this.#running?.server.stop();
    });
    return this;
  }

  get server(): RedisServer {
    return this.#require().server;
  }

  get client(): ConnectedClient['client'] {
    return this.#require().connected.client;
  }

  command(...args: readonly string[]): Promise<unknown> {
    return this.#require().connected.command(...args);
  }

  store(options: Omit<Partial<RedisStoreOptions>, 'client'> = {}): RedisStore {
    return new RedisStore({ ...options, client: this.client });
  }

  storeOn({ client }: ConnectedClient): RedisStore {
    return new RedisStore({ client });
  }

  /** What a server's statistics count of a command, from its start on. */
  async calls(command: string): Promise<number> {
    const info = String(await this.command('INFO', 'commandstats'));
    return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
  }

  /** The hash that holds a record. */
  async hash(id: string): Promise<Record<string, string>> {
    const reply: unknown = await this.command('HGETALL', `idempotency:${id}`);
    if (!Array.isArray(reply)) return { ...(reply as Record<string, string>) };
    const pairs = reply.map((value, index) => [value, reply[index + 1]]);
    return Object.fromEntries(pairs.filter((_, index) => index % 2 === 0)) as never;
  }

  /** What the store contract needs to know of Redis. */
  harness(clockSkew = 1): StoreHarness<RedisStore> {
    return {
      clockSkewSeconds: clockSkew,
      expiryGranularityMs: 1,
      create: () => ({ store: this.store({ clockSkew }) }),
      seed: (_store, record) => this.#seed(record),
      createUnavailable: async () => {
        const setting = { port: await freePort(), impatient: true, unconnected: true };
        const { client, close } = await this.#connect(setting);
        return { store: new RedisStore({ client }), dispose: close };
      },
      createUnresponsive: async () => {
        const silent = await silentServer();
        const { port } = silent.address() as AddressInfo;
        const { client, close } = await this.#connect({ port, unconnected: true });
        return {
          store: new RedisStore({ client }),
          dispose: () => {
            close();
            silent.close();
          },
        };
      },
    };
  }

  async #seed(record: IdempotencyRecord): Promise<void> {
    const { result } = record;
    const fields: Record<string, string | number | undefined> = {
      v: '1',
      status: record.status,
      in_progress_until_ms: record.inProgressUntilMs,
      expires_at_ms: record.expiresAtMs,
      result: typeof result === 'string' ? result : undefined,
      claim_token: record.claimToken,
      fingerprint: record.fingerprint,
    };
    const pairs = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined ? [] : [name, String(value)],
    );
    const key = `idempotency:${record.id}`;
    await this.command('DEL', key);
    await this.command('HSET', key, ...pairs);
  }

  #require(): Running {
    if (this.#running === undefined) throw new Error('The server is not running');
    return this.#running;
  }
}

/** Takes connections and requests, and never answers. */
async function silentServer(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
