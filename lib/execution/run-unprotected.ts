import type { Claim, IdempotencyStore } from '../store/idempotency-store.js';
import type { Call } from './call.js';
import { commitAlone } from './commit.js';
import { Execution } from './current-execution.js';
import { DeferredWrites } from './deferred-writes.js';
import { areExecutionsTracked, runInScope, runningScope } from './execution-scope.js';
import { claimEndMs } from './lease.js';

/**
 * Runs the method of a call whose claim could not be made. It has an id all the same, and what it
 * calls downstream is protected by the keys that it derives from that.
 */
export async function runWithoutClaim(call: Call): Promise<unknown> {
  if (!areExecutionsTracked()) return call.run();
  const { id, token, method, lease, settings } = call;
  const inProgressUntilMs = claimEndMs(lease, settings.clock.now());
  const claim: Claim = { id, token, inProgressUntilMs, tookOver: true };
  const execution = new Execution(call, claim);
  const writes = new DeferredWrites(method, () => call.store);
  try {
    const scope = { call, execution, writes, outer: runningScope() };
    const result = await runInScope(scope, call.run);
    await commitAlone(result, writes.close(), call);
    return result;
  } finally {
    writes.close();
    execution.end();
  }
}

/**
 * Runs the method of a call that has no key or whose protection is switched off. The store is only
 * looked up where the method defers writes.
 */
export async function runWithoutKey(
  run: () => unknown,
  method: string,
  openStore: () => IdempotencyStore | Promise<IdempotencyStore>,
  callOn: (store: IdempotencyStore) => Call,
): Promise<unknown> {
  if (!areExecutionsTracked()) return run();
  let opened: IdempotencyStore | Promise<IdempotencyStore> | undefined;
  const openOnce = () => (opened ??= openStore());
  const writes = new DeferredWrites(method, () => {
    const store = openOnce();
    if (!(store instanceof Promise)) return store;
    // Whether it fails is told when the writes are sent; until then nobody else listens.
    void Promise.allSettled([store]);
    return undefined;
  });
  try {
    const scope = { call: undefined, execution: undefined, writes, outer: runningScope() };
    const result = await runInScope(scope, run);
    const deferred = writes.close();
    if (deferred.length > 0) await commitAlone(result, deferred, callOn(await openOnce()));
    return result;
  } finally {
    writes.close();
  }
}
