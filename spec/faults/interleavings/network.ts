import type { StoreOperation } from '../../../lib/errors/index.js';
import type {
  Claim,
  ClaimOutcome,
  ClaimRequest,
  Completion,
  ForgetOptions,
  IdempotencyRecord,
  IdempotencyStore,
} from '../../../lib/store/idempotency-store.js';
import type { MemoryStore } from '../../../lib/store/memory-store.js';
import type { ModelProcess, World } from './world.js';

/** What came back from the table. */
export type Reply =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

/** One request between a process and the table. */
export interface Operation {
  readonly kind: StoreOperation;
  readonly from: ModelProcess;
  /** Whose request it is; a read has no token. */
  readonly token: string | undefined;
  /** What was asked for, where that matters to the audit. */
  readonly request?: ClaimRequest;
  readonly apply: (table: MemoryStore) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly sentMs: number;
  /** What the table said; absent until the request was applied. */
  reply?: Reply;
  /** It took so long that the engine may not wait any more. */
  overdue?: boolean;
}

/** All requests that are under way. */
export class Network {
  /** Somebody waits for the reply. */
  readonly awaited: Operation[] = [];
  /** Nobody waits any more: given up or sent twice, and they may land yet. */
  readonly adrift: Operation[] = [];

  /** Tokens whose release was asked for, whatever became of that. */
  readonly released = new Set<string>();

  /** Tokens of claims that landed when nobody waited for them any more. */
  readonly claimedLate = new Set<string>();

  /** The process is gone: what it sent may land, and no reply arrives. */
  crash(process: ModelProcess): void {
    for (const operation of [...this.awaited]) {
      if (operation.from !== process) continue;
      this.forget(operation);
      if (operation.reply === undefined) this.adrift.push(operation);
    }
  }

  forget(operation: Operation): void {
    this.awaited.splice(this.awaited.indexOf(operation), 1);
  }
}

/** The store of one process: each operation becomes a request that waits to be scheduled. */
export class NetworkStore implements IdempotencyStore {
  readonly #network: Network;
  readonly #process: ModelProcess;
  readonly #world: World;

  constructor(network: Network, process: ModelProcess, world: World) {
    this.#network = network;
    this.#process = process;
    this.#world = world;
  }

  claim(request: ClaimRequest): Promise<ClaimOutcome> {
    return this.send('claim', request.token, (table) => table.claim(request), request);
  }

  renew(claim: Claim, inProgressUntilMs: number): Promise<void> {
    return this.send('renew', claim.token, (table) => table.renew(claim, inProgressUntilMs));
  }

  complete(claim: Claim, completion: Completion): Promise<void> {
    return this.send('complete', claim.token, (table) => table.complete(claim, completion));
  }

  release(claim: Pick<Claim, 'id' | 'token'>): Promise<void> {
    this.#network.released.add(claim.token);
    return this.send('release', claim.token, (table) => table.release(claim));
  }

  get(id: string): Promise<IdempotencyRecord | undefined> {
    return this.send('get', undefined, (table) => table.get(id));
  }

  forget(id: string, options?: ForgetOptions): Promise<boolean> {
    return this.send('forget', undefined, (table) => table.forget(id, options));
  }

  send<T>(
    kind: StoreOperation,
    token: string | undefined,
    apply: (table: MemoryStore) => Promise<T>,
    request?: ClaimRequest,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#network.awaited.push({
        kind,
        from: this.#process,
        token,
        ...(request === undefined ? {} : { request }),
        apply,
        resolve: resolve as (value: unknown) => void,
        reject,
        sentMs: this.#world.nowMs,
      });
    });
  }
}
