import type { IoredisLike, NodeRedisLike, GlideLike } from '../../../lib/store/redis/index.js';

/** One request as it reached the client. */
export interface SeenRequest {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly signal: AbortSignal | undefined;
}

/** Answers a request: a reply, or whatever the client is to do wrong. */
export type Reply = (request: SeenRequest) => unknown;

/** Keeps what it is asked and replies as the spec says, in order; then never. */
class ScriptedClient {
  readonly seen: SeenRequest[] = [];
  readonly #replies: Reply[] = [];

  next(...replies: readonly Reply[]): this {
    this.#replies.push(...replies);
    return this;
  }

  protected answer(
    method: string,
    args: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<unknown> {
    const request = { method, args, signal };
    this.seen.push(request);
    const reply = this.#replies.shift();
    return reply === undefined
      ? new Promise(() => undefined)
      : (reply(request) as Promise<unknown>);
  }
}

/** The interface of node-redis 4. */
export class ScriptedNodeRedis extends ScriptedClient implements NodeRedisLike {
  isReady = true;

  evalSha(...args: unknown[]): Promise<unknown> {
    return this.answer('evalSha', args);
  }

  eval(...args: unknown[]): Promise<unknown> {
    return this.answer('eval', args);
  }
}

/** The interface of node-redis from version 5 on, where requests can be taken back. */
export class ScriptedCancellable extends ScriptedNodeRedis {
  withAbortSignal(signal: AbortSignal): NodeRedisLike {
    return {
      evalSha: (...args: unknown[]) => this.answer('evalSha', args, signal),
      eval: (...args: unknown[]) => this.answer('eval', args, signal),
    };
  }
}

/** The interface of ioredis. */
export class ScriptedIoredis extends ScriptedClient implements IoredisLike {
  status = 'ready';

  evalsha(...args: unknown[]): Promise<unknown> {
    return this.answer('evalsha', args);
  }

  eval(...args: unknown[]): Promise<unknown> {
    return this.answer('eval', args);
  }
}

/** The interface of valkey-glide. */
export class ScriptedGlide extends ScriptedClient implements GlideLike {
  customCommand(...args: unknown[]): Promise<unknown> {
    return this.answer('customCommand', args);
  }
}

export function replying(reply: unknown): Reply {
  return () => Promise.resolve(reply);
}

export function rejecting(error: unknown): Reply {
  return () => Promise.reject(error);
}

/** What a server says that has not seen a script. */
export const scriptMissing = rejecting(new Error('NOSCRIPT No matching script. Please use EVAL.'));
