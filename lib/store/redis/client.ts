import { wrongOption } from '../../errors/wrong-option.js';

/*
 * What this package needs of a client is two requests: EVALSHA and EVAL of a script with one key.
 * Nothing here imports a client, and the parameters are loose, since the types of one version of a
 * client do not fit those of another.
 */

/* eslint-disable @typescript-eslint/no-explicit-any -- see above */

/** A client, cluster or pool of node-redis (`redis`, `@redis/client`), version 4 or later. */
export interface NodeRedisLike {
  evalSha(sha1: any, options?: any): Promise<unknown>;
  eval(script: any, options?: any): Promise<unknown>;
}

/** A `Redis` or `Cluster` of ioredis, version 4 or later, or of its fork iovalkey. */
export interface IoredisLike {
  evalsha(...args: any[]): Promise<unknown>;
  eval(...args: any[]): Promise<unknown>;
}

/** A `GlideClient` or `GlideClusterClient` of `@valkey/valkey-glide`. */
export interface GlideLike {
  customCommand(args: any, options?: any): Promise<unknown>;
}

/* eslint-enable @typescript-eslint/no-explicit-any */

/** The clients that {@link RedisStore} takes. */
export type RedisClientLike = NodeRedisLike | IoredisLike | GlideLike;

/** The interfaces of clients that are known. */
export type RedisClientKind = 'node-redis' | 'ioredis' | 'valkey-glide';

/** One client, whatever its interface. What its methods throw or return is not judged here. */
export interface ScriptRunner {
  /**
   * Whether the client sends a request again whose reply was lost: then an error that the server
   * answers says nothing of whether an earlier attempt was applied.
   */
  readonly resends: boolean;
  evalSha(sha1: string, key: string, args: readonly string[], signal: AbortSignal): unknown;
  eval(source: string, key: string, args: readonly string[], signal: AbortSignal): unknown;
  /** Whether the client says that it has no connection at the moment. */
  isOffline(): boolean;
}

const methodsOf = {
  'node-redis': ['evalSha', 'eval'],
  ioredis: ['evalsha', 'eval'],
  'valkey-glide': ['customCommand'],
} satisfies Record<RedisClientKind, readonly string[]>;

/** @throws TypeError when `client` has not the methods of the kind, or of any kind. */
export function scriptRunner(client: unknown, kind: unknown, where: string): ScriptRunner {
  const kinds = Object.keys(methodsOf) as RedisClientKind[];
  if (kind !== undefined && !kinds.includes(kind as RedisClientKind)) {
    const what = `one of ${kinds.map((each) => `'${each}'`).join(', ')}`;
    throw new TypeError(wrongOption('clientKind', what, kind, where));
  }
  const candidates = kind === undefined ? kinds : [kind as RedisClientKind];
  const found = candidates.find((each) => hasMethods(client, methodsOf[each]));
  switch (found) {
    case 'node-redis':
      return nodeRedisRunner(client as NodeRedisLike);
    case 'ioredis':
      return ioredisRunner(client as IoredisLike);
    case 'valkey-glide':
      return glideRunner(client as GlideLike);
    case undefined:
      throw new TypeError(wrongOption('client', whatClient(candidates), client, where));
  }
}

function whatClient(kinds: readonly RedisClientKind[]): string {
  const named = kinds.map((kind) => {
    const methods = methodsOf[kind].map((method) => `\`${method}\``);
    return `of ${kind} (${methods.join(' and ')})`;
  });
  return `a client ${named.join(', or ')}`;
}

function hasMethods(client: unknown, names: readonly string[]): boolean {
  if (client === null || (typeof client !== 'object' && typeof client !== 'function')) return false;
  return names.every((name) => typeof (client as Record<string, unknown>)[name] === 'function');
}

function nodeRedisRunner(client: NodeRedisLike): ScriptRunner {
  // From version 5 on, a request that waits for a connection can be taken back.
  const cancellable = (signal: AbortSignal): NodeRedisLike => {
    const { withAbortSignal } = client as { withAbortSignal?: unknown };
    return typeof withAbortSignal === 'function'
      ? (withAbortSignal.call(client, signal) as NodeRedisLike)
      : client;
  };
  return {
    resends: false,
    evalSha: (sha1, key, args, signal) =>
      cancellable(signal).evalSha(sha1, { keys: [key], arguments: args }),
    eval: (source, key, args, signal) =>
      cancellable(signal).eval(source, { keys: [key], arguments: args }),
    isOffline: () => (client as { isReady?: unknown }).isReady === false,
  };
}

function ioredisRunner(client: IoredisLike): ScriptRunner {
  return {
    // Its option autoResendUnfulfilledCommands, on by default.
    resends: true,
    evalSha: (sha1, key, args) => client.evalsha(sha1, 1, key, ...args),
    eval: (source, key, args) => client.eval(source, 1, key, ...args),
    isOffline: () => {
      const { status } = client as { status?: unknown };
      return typeof status === 'string' && status !== 'ready';
    },
  };
}

/*
 * Its `invokeScript` takes a `Script` of its own package, which nothing here imports; a custom
 * command of EVALSHA is routed by its key just as well.
 */
function glideRunner(client: GlideLike): ScriptRunner {
  return {
    resends: true,
    evalSha: (sha1, key, args) => client.customCommand(['EVALSHA', sha1, '1', key, ...args]),
    eval: (source, key, args) => client.customCommand(['EVAL', source, '1', key, ...args]),
    isOffline: () => false,
  };
}
