import { randomUUID } from 'node:crypto';
import { replayCache, type ReplayCacheOptions } from '../../lib/cache/index.js';
import type {
  ClaimRequest,
  Completion,
  IdempotencyRecord,
  IdempotencyStore,
} from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { InterceptedStore } from '../support/intercepted-store.js';

export const NOW_MS = Date.UTC(2031, 0, 1);

/** A cache before a store in memory whose operations are seen. */
export class CachedBench {
  readonly memory: MemoryStore;
  readonly behind: InterceptedStore;
  readonly store: IdempotencyStore;

  constructor(options: Partial<ReplayCacheOptions> = {}, clockSkew = 0) {
    this.memory = new MemoryStore({ clockSkew });
    this.behind = new InterceptedStore(this.memory);
    this.store = replayCache(this.behind, { max: 10, ...options });
  }

  request(nowMs: number, id = 'o1'): ClaimRequest {
    return {
      id,
      token: randomUUID(),
      nowMs,
      ttlMs: 3_600_000,
      inProgressUntilMs: nowMs + 60_000,
      onExpiredClaim: 'run',
    };
  }

  /** Records an outcome behind the cache's back. */
  seed(record: Partial<IdempotencyRecord> = {}): void {
    this.memory.seed({
      id: 'o1',
      status: 'COMPLETED',
      expiresAtMs: NOW_MS + 3_600_000,
      completedAtMs: NOW_MS - 1000,
      result: '{"n":1}',
      ...record,
    });
  }

  /** The record that refuses a claim at `nowMs`, and how many claims that cost the store behind. */
  async ask(
    nowMs: number,
    id?: string,
  ): Promise<{ readonly record: IdempotencyRecord | undefined; readonly asked: number }> {
    const before = this.behind.count('claim');
    const outcome = await this.store.claim(this.request(nowMs, id));
    const asked = this.behind.count('claim') - before;
    return { record: outcome.claimed ? undefined : outcome.record, asked };
  }

  /** How many claims a claim at `nowMs` costs the store behind. */
  async costAt(nowMs: number, id?: string): Promise<number> {
    return (await this.ask(nowMs, id)).asked;
  }

  /** Claims and completes through the cache. */
  async run(nowMs: number, completion: Partial<Completion> = {}): Promise<void> {
    const outcome = await this.store.claim(this.request(nowMs));
    if (!outcome.claimed) throw new Error('Refused');
    await this.store.complete(outcome.claim, {
      status: 'COMPLETED',
      nowMs,
      ttlMs: 3_600_000,
      result: '{"n":1}',
      ...completion,
    });
  }
}
