import {
  MAX_DEFERRED_WRITES,
  type IdempotencyStore,
  type TransactWrite,
} from '../../store/idempotency-store.js';

const KINDS = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const;

/** The writes that a run wants applied together with its record. */
export class DeferredWrites {
  readonly #writes: TransactWrite[] = [];
  readonly #store: () => IdempotencyStore | undefined;
  readonly #method: string;
  #closed = false;

  /** @param store Tells the store, where that is known before the run ends. */
  constructor(method: string, store: () => IdempotencyStore | undefined) {
    this.#method = method;
    this.#store = store;
  }

  /**
   * @throws TypeError for what is no write, a store that knows no transactions, and a run that is over.
   * @throws RangeError for too many writes.
   */
  add(writes: readonly TransactWrite[]): void {
    if (this.#closed) {
      throw new TypeError(`commitWith was called after the run was over (${this.#method})`);
    }
    const store = this.#store();
    if (store !== undefined) checkCommits(store, this.#method);
    if (!Array.isArray(writes) || !writes.every(isWrite)) {
      throw new TypeError(
        `Expected an array of transaction items, each with one of ${KINDS.join(', ')} (commitWith in ${this.#method})`,
      );
    }
    // What the method changes afterwards must not change what is sent, and sent again.
    const copies = copyOf(writes, this.#method);
    const total = this.#writes.length + writes.length;
    if (total > MAX_DEFERRED_WRITES) {
      throw new RangeError(
        `Expected at most ${String(MAX_DEFERRED_WRITES)} deferred writes, got ${String(total)} (commitWith in ${this.#method})`,
      );
    }
    this.#writes.push(...copies);
  }

  /** Ends the collecting; what came together, in order. */
  close(): readonly TransactWrite[] {
    this.#closed = true;
    return this.#writes;
  }
}

function copyOf(writes: readonly TransactWrite[], method: string): readonly TransactWrite[] {
  try {
    return structuredClone(writes);
  } catch (cause) {
    const what = 'Expected transaction items of plain data, without functions and streams';
    throw new TypeError(`${what} (commitWith in ${method})`, { cause });
  }
}

/** @throws TypeError for a store that knows no transactions. */
export function checkCommits(
  store: IdempotencyStore,
  method: string,
): asserts store is IdempotencyStore & Required<Pick<IdempotencyStore, 'commit'>> {
  if (typeof store.commit === 'function') return;
  throw new TypeError(
    `The store of ${method} knows no transactions, which commitWith needs; DynamoDBStore and MemoryStore({ transact }) do`,
  );
}

function isWrite(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const given = KINDS.filter((kind) => (value as TransactWrite)[kind] !== undefined);
  return given.length === 1;
}
