import { types } from 'node:util';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Claim, IdempotencyStore } from '../../store/idempotency-store.js';
import type { Call } from '../call.js';
import type {
  DeferredCommit,
  ExecutionTracking,
  TrackedRun,
  Unprotected,
} from '../execution-tracking.js';
import { claimEndMs } from '../lease.js';
import { runMethod, watchRuns } from '../own-run.js';
import { commitAlone, commitLost, commitOutcome } from './commit.js';
import { Execution, type CurrentExecution } from './current-execution.js';
import { DeferredWrites } from './deferred-writes.js';

/** A run as the code inside it sees it. */
interface InnerView {
  /** Absent where the run has no key. */
  readonly execution: CurrentExecution | undefined;
  readonly writes: DeferredWrites;
}

/** Makes runs know of themselves, by one `AsyncLocalStorage`, and commits what they defer. */
export class ExecutionTracker implements ExecutionTracking {
  readonly #runs = new AsyncLocalStorage<InnerView>();

  constructor() {
    // Who knows of its run also knows when it would wait for it, from the first call on.
    watchRuns();
  }

  /** The innermost run that the current code belongs to. */
  current(): InnerView | undefined {
    return this.#runs.getStore();
  }

  track(call: Call, claim: Claim): TrackedRun & { readonly writes: DeferredWrites } {
    const execution = new Execution(call, claim);
    const writes = new DeferredWrites(call.method, () => call.store);
    return {
      execution,
      writes,
      enter: (run) => this.#runs.run({ execution, writes }, run),
      close: () => deferredCommit(writes.close(), call),
      end: () => {
        writes.close();
        execution.end();
      },
    };
  }

  /**
   * It has an id all the same, and what it calls downstream is protected by the keys that it derives
   * from that.
   */
  async runWithoutClaim(call: Call): Promise<unknown> {
    const { id, token, lease, settings } = call;
    const inProgressUntilMs = claimEndMs(lease, settings.clock.now());
    const run = this.track(call, { id, token, inProgressUntilMs, tookOver: true });
    try {
      const result = await run.enter(() => runMethod(call));
      await commitAlone(result, run.writes.close(), call);
      return result;
    } finally {
      run.end();
    }
  }

  /** The store is only looked up where the method defers writes. */
  async runWithoutKey({ method, run, openStore, callOn }: Unprotected): Promise<unknown> {
    let opened: IdempotencyStore | Promise<IdempotencyStore> | undefined;
    const openOnce = () => (opened ??= openStore());
    const writes = new DeferredWrites(method, () => {
      const store = openOnce();
      if (!types.isPromise(store)) return store;
      // Whether it fails is told when the writes are sent; until then nobody else listens.
      void Promise.allSettled([store]);
      return undefined;
    });
    try {
      const result = await this.#runs.run({ execution: undefined, writes }, run);
      const deferred = writes.close();
      if (deferred.length > 0) await commitAlone(result, deferred, callOn(await openOnce()));
      return result;
    } finally {
      writes.close();
    }
  }
}

function deferredCommit(
  writes: ReturnType<DeferredWrites['close']>,
  call: Call,
): DeferredCommit | undefined {
  if (writes.length === 0) return undefined;
  return {
    commit: (result, completion, claim) => commitOutcome(result, completion, writes, claim, call),
    lost: (result) => commitLost(result, call),
  };
}
