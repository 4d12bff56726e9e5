import { LRUCache } from 'lru-cache';
import {
  RecordStatus,
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type Completion,
  type ForgetOptions,
  type IdempotencyRecord,
  type IdempotencyStore,
  type OperationLimits,
} from '../store/idempotency-store.js';
import { checkCacheOptions, type CacheSettings, type ReplayCacheOptions } from './cache-options.js';

/**
 * Puts a cache of finished records before a store: a replay of what this process has seen recorded
 * costs no request. Everything else goes to `store` as it is, so what protects against a second run
 * is the store alone.
 *
 * Kept are completed records and recorded errors, in the form in which a refused claim brings them,
 * once one has: the run that records a result does not fill the cache, the first replay does. The
 * result is kept encoded and decoded again for each replay, so a caller may change what it gets. A
 * record in progress is never kept. The payload's fingerprint is compared for a cached record as for
 * any other. Time is that of the claims.
 *
 * What to know before using it: a record that another process removes (`forget`) is replayed here
 * until `maxAge` is over; `forget` through this store works at once, and `get` always asks. Make one
 * cache per store, once and outside of calls.
 *
 * @throws TypeError or RangeError when an option is wrong.
 *
 * @example
 * ```ts
 * const store = replayCache(new DynamoDBStore({ table: 'idempotency' }), { max: 1000 });
 * configureIdempotency({ store });
 * ```
 */
export function replayCache(
  store: IdempotencyStore,
  options: ReplayCacheOptions,
): IdempotencyStore {
  return new CachedStore(store, checkCacheOptions(store, options));
}

interface Entry {
  readonly record: IdempotencyRecord;
  /** The time of the claim that brought the record, which is before the store was asked. */
  readonly askedAtMs: number;
}

/** The claims of one id that the store is being asked for. */
interface Asking {
  claims: number;
  /** Whether the record was removed or replaced since: what they bring is not kept. */
  outdated: boolean;
}

class CachedStore implements IdempotencyStore {
  /** There only where the store behind promises it: nothing here takes any time. */
  declare readonly timeoutMs?: number;
  /** There only where the store behind knows transactions. */
  declare readonly commit?: NonNullable<IdempotencyStore['commit']>;

  readonly #store: IdempotencyStore;
  readonly #maxAgeMs: number;
  readonly #entries: LRUCache<string, Entry>;
  readonly #asking = new Map<string, Asking>();

  constructor(store: IdempotencyStore, { max, maxAgeMs }: CacheSettings) {
    this.#store = store;
    this.#maxAgeMs = maxAgeMs;
    this.#entries = new LRUCache({ max });
    if (store.timeoutMs !== undefined) this.timeoutMs = store.timeoutMs;
    if (typeof store.commit === 'function') this.commit = store.commit.bind(store);
  }

  async claim(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome> {
    const entry = this.#entries.get(request.id);
    if (entry !== undefined) {
      if (this.#answers(entry, request.nowMs)) {
        return { claimed: false, record: copyOf(entry.record) };
      }
      // Nor at any other time: a clock that is set back must not bring it to life again.
      this.#entries.delete(request.id);
    }
    return this.#ask(request, limits);
  }

  async renew(claim: Claim, inProgressUntilMs: number, limits?: OperationLimits): Promise<void> {
    return this.#store.renew(claim, inProgressUntilMs, limits);
  }

  async complete(claim: Claim, completion: Completion, limits?: OperationLimits): Promise<void> {
    // Nothing to keep: only the store knows when its record expires and whether the result fits.
    return this.#store.complete(claim, completion, limits);
  }

  async release(claim: Pick<Claim, 'id' | 'token'>, limits?: OperationLimits): Promise<void> {
    return this.#store.release(claim, limits);
  }

  async get(id: string, limits?: OperationLimits): Promise<IdempotencyRecord | undefined> {
    return this.#store.get(id, limits);
  }

  async forget(id: string, options?: ForgetOptions): Promise<boolean> {
    try {
      return await this.#store.forget(id, options);
    } finally {
      // However it ended: one that failed may have been applied.
      this.#drop(id);
    }
  }

  #answers({ record, askedAtMs }: Entry, nowMs: number): boolean {
    const ageMs = nowMs - askedAtMs;
    return ageMs >= 0 && ageMs < this.#maxAgeMs && isLive(record, nowMs);
  }

  async #ask(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome> {
    const { id, nowMs: askedAtMs } = request;
    const asking = this.#startAsking(id);
    try {
      const outcome = await this.#store.claim(request, limits);
      if (outcome.claimed) {
        this.#drop(id);
      } else if (!asking.outdated && isReplayed(outcome.record)) {
        this.#entries.set(id, { record: copyOf(outcome.record), askedAtMs });
      }
      return outcome;
    } finally {
      asking.claims -= 1;
      if (asking.claims === 0 && !asking.outdated) this.#asking.delete(id);
    }
  }

  #startAsking(id: string): Asking {
    let asking = this.#asking.get(id);
    if (asking === undefined) this.#asking.set(id, (asking = { claims: 0, outdated: false }));
    asking.claims += 1;
    return asking;
  }

  /** Forgets the record, and what claims that were sent before are about to bring of it. */
  #drop(id: string): void {
    this.#entries.delete(id);
    const asking = this.#asking.get(id);
    if (asking === undefined) return;
    asking.outdated = true;
    this.#asking.delete(id);
  }
}

function isReplayed(record: IdempotencyRecord | undefined): record is IdempotencyRecord {
  return record?.status === RecordStatus.COMPLETED || record?.status === RecordStatus.FAILED;
}

function isLive({ takeoverAtMs }: IdempotencyRecord, nowMs: number): boolean {
  return takeoverAtMs === undefined || takeoverAtMs >= nowMs;
}

/**
 * Neither the cache nor a caller sees what the other changes in a record. Bytes are copied with it:
 * a codec gets them and may pass them on.
 */
function copyOf(record: IdempotencyRecord): IdempotencyRecord {
  const { result, error } = record;
  if (typeof result !== 'object' && error === undefined) return { ...record };
  return {
    ...record,
    ...(typeof result === 'object' && { result: new Uint8Array(result) }),
    ...(error !== undefined && { error: { ...error } }),
  };
}
