import type { CallOptions, NamedStore, SharedOptions } from '../../lib/configuration/options.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { IdempotencyStoreError } from '../../lib/errors/index.js';
import { observeIdempotency, type IdempotencyEvent } from '../../lib/execution/events.js';
import { commitWith, type TransactWrite } from '../../lib/execution/index.js';
import type { Outcome } from '../../lib/execution/outcome.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import type { IdempotencyStore, Commit } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { InterceptedStore } from '../support/intercepted-store.js';

/** The engine on a store with transactions, whose writes are kept by the table's name. */
export class CommitBench {
  readonly clock = manualClock();
  /** What was applied, in order. */
  readonly applied: string[] = [];
  /** Called before the writes are applied; what it throws cancels them. */
  refuse: (writes: readonly TransactWrite[]) => void | Promise<void> = () => undefined;
  readonly memory = new MemoryStore({
    clock: this.clock,
    transact: async (writes) => {
      await this.refuse(writes);
      this.applied.push(...writes.map(tableOf));
    },
  });
  readonly store = new InterceptedStore(this.memory);
  readonly events: IdempotencyEvent[] = [];
  readonly dispose = observeIdempotency((event) => this.events.push(event));
  runs = 0;

  /** One call for the key `o1`. */
  call<R>(
    body: () => R | PromiseLike<R>,
    options: CallOptions<undefined, [string], R> = {},
    defaults: SharedOptions & NamedStore<IdempotencyStore | (() => IdempotencyStore)> = {},
  ): Promise<Outcome<R>> {
    return withIdempotency({ store: this.store, clock: this.clock, ...defaults }, () =>
      runIdempotent('o1', body, { key: (id) => id, ...options }),
    );
  }

  /** One call that defers a write to `table` and returns the number of its run. */
  place(
    table = 'orders',
    options: CallOptions<undefined, [string], number> = {},
    defaults: SharedOptions & NamedStore<IdempotencyStore | (() => IdempotencyStore)> = {},
  ): Promise<Outcome<number>> {
    return this.call(
      () => {
        commitWith([put(table)]);
        return ++this.runs;
      },
      options,
      defaults,
    );
  }

  /** Settles a call that pauses between its attempts. */
  async settled<T>(call: Promise<T>): Promise<T> {
    void Promise.allSettled([call]);
    // No pause is longer than a second, and giving up takes ten.
    for (let second = 0; second < 20; second++) await this.clock.advance(1000);
    return call;
  }

  /** The commits that reached the store or what stands before it. */
  get commits(): Commit[] {
    return this.store.seen
      .filter(({ operation }) => operation === 'commit')
      .map(({ args }) => args[0] as Commit);
  }

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }
}

export function put(TableName: string): TransactWrite {
  return { Put: { TableName, Item: { id: { S: 'o1' } } } };
}

function tableOf({ Put }: TransactWrite): string {
  return (Put as { TableName: string }).TableName;
}

/** What a store says of a transaction that ran into another one. */
export function conflict(): IdempotencyStoreError {
  return new IdempotencyStoreError('another write to the same items was going on', {
    operation: 'commit',
    retryable: true,
    maybeApplied: false,
  });
}

export function accessDenied(): IdempotencyStoreError {
  return new IdempotencyStoreError('access is denied', {
    operation: 'commit',
    retryable: false,
    maybeApplied: false,
    hint: 'Allow dynamodb:PutItem',
  });
}
