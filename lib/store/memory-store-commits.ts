import { IdempotencyCommitError } from '../errors/commit-error.js';
import { isIdempotencyError } from '../errors/guards.js';
import type { Clock } from '../time/clock.js';
import type { Commit } from './idempotency-store.js';
import type { Transact } from './memory-store-options.js';

/** DynamoDB knows a repeated request by its token for ten minutes. */
const TOKEN_KEPT_MS = 10 * 60_000;

/** What a commit does to the record; absent parts where there is none. */
export interface RecordStep {
  /** Whether the claim still stands; `false` where this very commit completed it already. */
  begin(): boolean;
  /** Completes the record. */
  settle(): void;
  /** Called when it is over, however it ended. */
  end(): void;
}

/** The transactions of a store in memory: the writes go to a function of the test's. */
export class MemoryCommits {
  readonly #transact: Transact;
  readonly #clock: Clock;
  /** By token, the oldest first. */
  readonly #commits = new Map<string, { readonly promise: Promise<void>; readonly atMs: number }>();

  constructor(transact: Transact, clock: Clock) {
    this.#transact = transact;
    this.#clock = clock;
  }

  /** A token that was applied, or is about to be, is applied no second time. */
  run({ token, writes, outcome }: Commit, record: RecordStep | undefined): Promise<void> {
    const nowMs = this.#clock.now();
    this.#forgetBefore(nowMs - TOKEN_KEPT_MS);
    const known = this.#commits.get(token);
    if (known !== undefined) return known.promise;
    const promise = this.#apply(writes, outcome?.claim.id, record);
    this.#commits.set(token, { promise, atMs: nowMs });
    promise.catch(() => this.#commits.delete(token));
    return promise;
  }

  async #apply(
    writes: Commit['writes'],
    id: string | undefined,
    record: RecordStep | undefined,
  ): Promise<void> {
    if (record?.begin() === false) return;
    try {
      await this.#transact(writes);
      record?.settle();
    } catch (error) {
      throw cancelled(error, id);
    } finally {
      record?.end();
    }
  }

  #forgetBefore(ms: number): void {
    for (const [token, { atMs }] of this.#commits) {
      if (atMs >= ms) return;
      this.#commits.delete(token);
    }
  }
}

/** What `transact` throws is its refusal; an error of ours says more and is passed on. */
function cancelled(error: unknown, id: string | undefined): Error {
  if (isIdempotencyError(error)) return error;
  const reason = error instanceof Error ? error.name : typeof error;
  return new IdempotencyCommitError('`transact` refused the deferred writes', {
    outcome: 'cancelled',
    reasons: [reason],
    cause: error,
    ...(id === undefined ? {} : { id }),
  });
}
