import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { RedisClientLike } from '../../../lib/store/redis/index.js';

/** A client with what a spec needs of it besides. */
export interface ConnectedClient {
  readonly client: RedisClientLike;
  /** Sends any command. */
  command(...args: readonly string[]): Promise<unknown>;
  close(): void;
}

/** What a client is given: the port, and how it behaves without a connection. */
export interface ClientSetting {
  readonly port: number;
  readonly password?: string;
  /** Rejects requests at once where there is no connection. Default: they wait for one. */
  readonly impatient?: boolean;
  /** Does not wait until the connection stands. */
  readonly unconnected?: boolean;
}

export type Connect = (setting: ClientSetting) => Promise<ConnectedClient>;

/** A client of the package `redis`. */
export const nodeRedis: Connect = async ({
  port,
  password,
  impatient = false,
  unconnected = false,
}) => {
  const client = createClient({
    socket: { host: '127.0.0.1', port, reconnectStrategy: () => 20 },
    disableOfflineQueue: impatient,
    ...(password !== undefined && { password }),
  });
  client.on('error', () => undefined);
  const connected = client.connect();
  if (unconnected) void connected.catch(() => undefined);
  else await connected;
  return {
    client,
    command: (...args) => client.sendCommand(args),
    close: () => {
      client.destroy();
    },
  };
};

/** A client of the package `ioredis`. */
export const ioredis: Connect = async ({
  port,
  password,
  impatient = false,
  unconnected = false,
}) => {
  const client = new Redis({
    ...{ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: () => 20 },
    enableOfflineQueue: !impatient,
    ...(password !== undefined && { password }),
  });
  client.on('error', () => undefined);
  const connected = client.connect();
  if (unconnected) void connected.catch(() => undefined);
  else await connected;
  return {
    client,
    command: (name = '', ...args: readonly string[]) => client.call(name, ...args),
    close: () => {
      client.disconnect();
    },
  };
};

/** The shape of valkey-glide's clients, on a connection of node-redis. */
export const glideShape: Connect = async (setting) => {
  const { command, close } = await nodeRedis(setting);
  return {
    client: { customCommand: (args: readonly string[]) => command(...args) },
    command,
    close,
  };
};
