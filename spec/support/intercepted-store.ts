import type { StoreOperation } from '../../lib/errors/index.js';
import type {
  Claim,
  ClaimOutcome,
  ClaimRequest,
  Commit,
  Completion,
  ForgetOptions,
  IdempotencyRecord,
  IdempotencyStore,
  OperationLimits,
} from '../../lib/store/idempotency-store.js';

/** What stands between the engine and a store: calls `forward` once, never, or later. */
export type Interceptor = (forward: () => Promise<unknown>) => Promise<unknown>;

/** One operation that reached the store or its interceptor. */
export interface SeenOperation {
  readonly operation: StoreOperation;
  readonly args: readonly unknown[];
}

/**
 * A store whose operations a spec can fail, delay, or apply without an answer. Interceptors are
 * used up in order, per operation; without one an operation goes through.
 */
export class InterceptedStore implements IdempotencyStore {
  readonly seen: SeenOperation[] = [];
  readonly #inner: IdempotencyStore;
  readonly #interceptors = new Map<StoreOperation, Interceptor[]>();

  /** Only where the store behind has transactions. */
  readonly commit?: (commit: Commit, limits?: OperationLimits) => Promise<void>;

  constructor(inner: IdempotencyStore) {
    this.#inner = inner;
    if (inner.commit !== undefined) {
      this.commit = (commit, limits) =>
        this.#pass('commit', [commit, limits], async () => inner.commit?.(commit, limits));
    }
  }

  /** Puts an interceptor before the next operation of this kind that has none yet. */
  next(operation: StoreOperation, ...interceptors: readonly Interceptor[]): this {
    const queue = this.#interceptors.get(operation) ?? [];
    queue.push(...interceptors);
    this.#interceptors.set(operation, queue);
    return this;
  }

  /** How often an operation was asked for. */
  count(operation: StoreOperation): number {
    return this.seen.filter((each) => each.operation === operation).length;
  }

  claim(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome> {
    return this.#pass('claim', [request, limits], () => this.#inner.claim(request, limits));
  }

  renew(claim: Claim, inProgressUntilMs: number, limits?: OperationLimits): Promise<void> {
    return this.#pass('renew', [claim, inProgressUntilMs, limits], () =>
      this.#inner.renew(claim, inProgressUntilMs, limits),
    );
  }

  complete(claim: Claim, completion: Completion, limits?: OperationLimits): Promise<void> {
    return this.#pass('complete', [claim, completion, limits], () =>
      this.#inner.complete(claim, completion, limits),
    );
  }

  release(claim: Pick<Claim, 'id' | 'token'>, limits?: OperationLimits): Promise<void> {
    return this.#pass('release', [claim, limits], () => this.#inner.release(claim, limits));
  }

  get(id: string, limits?: OperationLimits): Promise<IdempotencyRecord | undefined> {
    return this.#pass('get', [id, limits], () => this.#inner.get(id, limits));
  }

  forget(id: string, options?: ForgetOptions): Promise<boolean> {
    return this.#pass('forget', [id, options], () => this.#inner.forget(id, options));
  }

  async #pass<T>(
    operation: StoreOperation,
    args: readonly unknown[],
    forward: () => Promise<T>,
  ): Promise<T> {
    this.seen.push({ operation, args });
    const interceptor = this.#interceptors.get(operation)?.shift();
    return (await (interceptor === undefined ? forward() : interceptor(forward))) as T;
  }
}

/** The request never arrives. */
export function dropped(error: unknown = connectionLost()): Interceptor {
  return () => Promise.reject(error);
}

/** The request is applied and its reply is lost. */
export function replyLost(error: unknown = connectionLost()): Interceptor {
  return async (forward) => {
    await forward();
    throw error;
  };
}

/** The request waits for `gate` before it is applied. */
export function heldUntil(gate: Promise<unknown>): Interceptor {
  return async (forward) => {
    await gate;
    return forward();
  };
}

/** The request is applied and then `between` happens before the reply arrives. */
export function appliedThen(between: () => unknown): Interceptor {
  return async (forward) => {
    const reply = await forward();
    await between();
    return reply;
  };
}

/** What a socket that died looks like. */
export function connectionLost(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
