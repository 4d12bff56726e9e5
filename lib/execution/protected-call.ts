import { types } from 'node:util';
import { isEnabled } from '../configuration/off-switch.js';
import type { LambdaContextLike } from '../configuration/options.js';
import { resolveStore } from '../configuration/resolve-store.js';
import type { Settings } from '../configuration/settings.js';
import { validateMethodOptions } from '../configuration/validate-options.js';
import { IdempotencyInProgressError, isIdempotencyKeyError } from '../errors/index.js';
import { crypto } from '../node/builtins.js';
import type { IdempotencyStore } from '../store/idempotency-store.js';
import type { CallOutcome } from './answer.js';
import type { Call, OnReplay } from './call.js';
import type { Declaration } from './declaration.js';
import { publish } from './events.js';
import { executionTracking } from './execution-tracking.js';
import { fingerprintOfCall, idOfCall } from './key-of-call.js';
import { contextOf } from './lambda-context.js';
import { leaseFor } from './lease.js';
import { watchRuns } from './own-run.js';
import { execute } from './protocol.js';
import { optionsResolver, type ResolvedOptions } from './resolved-options.js';

/**
 * Runs a method under its declaration: `self` and `args` as it was called, `run` to run it. Wrong keys
 * and missing stores may be thrown at once instead of rejected: who calls it makes that a rejection.
 */
export type ProtectedCall = (
  self: unknown,
  args: readonly unknown[],
  run: () => unknown,
) => Promise<CallOutcome>;

/**
 * Makes the function through which all calls of a declaration go: it puts options, key, store and
 * lease together and hands the call to the protocol. The key comes first, before the store is even
 * looked up, and is evaluated once.
 *
 * @throws TypeError or RangeError for wrong options.
 */
export function protectedCall(declaration: Declaration): ProtectedCall {
  const { options } = declaration;
  validateMethodOptions(options, declaration.where);
  const resolve = optionsResolver(declaration);
  // A run of the same key that begins before the first call must be seen by that call.
  if ((options.wait ?? 0) > 0) watchRuns();

  return (self, args, run) => {
    const resolved = resolve(self);
    const { settings, namespace } = resolved;
    if (!isEnabled(settings.enabled)) return runAnyway(declaration, resolved, self, run);
    const { context, argumentCount } = contextOf(options.context, self, args);
    let id: string;
    try {
      id = idOfCall(declaration, namespace, self, args, argumentCount);
    } catch (error) {
      if (!mayRunWithoutKey(error, settings)) throw error;
      publishMissingKey(declaration.method, resolved);
      return runAnyway(declaration, resolved, self, run);
    }
    const fingerprint = fingerprintOfCall(declaration, self, args);
    const opening = resolveStore(settings.store, self, declaration.where);
    const details = { id, run, context, fingerprint };
    return types.isPromise(opening)
      ? executeWhenLoaded(opening, declaration, resolved, details)
      : execute(callOf(declaration, resolved, opening, details));
  };
}

/** For stores that are yet to be loaded: those that a table's name stands for. */
async function executeWhenLoaded(
  opening: Promise<IdempotencyStore>,
  declaration: Declaration,
  resolved: ResolvedOptions,
  details: CallDetails,
): Promise<CallOutcome> {
  return execute(callOf(declaration, resolved, await opening, details));
}

/** Runs a method that has no key, or whose protection is switched off. */
async function runAnyway(
  declaration: Declaration,
  resolved: ResolvedOptions,
  self: unknown,
  run: () => unknown,
): Promise<CallOutcome> {
  const tracking = executionTracking();
  if (tracking === undefined) return { status: 'executed', result: await run() };
  const { method, where } = declaration;
  const result = await tracking.runWithoutKey({
    method,
    run,
    openStore: () => resolveStore(resolved.settings.store, self, where),
    callOn: (store) => callOf(declaration, resolved, store, { id: '', run }),
  });
  return { status: 'executed', result };
}

/** What differs from call to call. */
interface CallDetails extends Pick<Call, 'id' | 'run'> {
  readonly context?: LambdaContextLike | undefined;
  readonly fingerprint?: string | undefined;
}

function callOf(
  { method, options }: Declaration,
  { settings, namespace }: ResolvedOptions,
  store: IdempotencyStore,
  { id, run, context, fingerprint }: CallDetails,
): Call {
  return {
    method,
    id,
    namespace,
    token: crypto().randomUUID(),
    startedMs: settings.clock.now(),
    settings,
    store,
    lease: leaseFor(settings.leaseMs, context, settings.clock),
    fingerprint,
    onReplay: options.onReplay as OnReplay | undefined,
    run,
  };
}

/** The same for doors whose caller wants a result or an error and nothing in between. */
export function protect(
  declaration: Declaration,
): (self: unknown, args: readonly unknown[], run: () => unknown) => Promise<unknown> {
  const call = protectedCall(declaration);
  const resultOf = (outcome: CallOutcome): unknown => {
    if (outcome.status !== 'in-progress') return outcome.result;
    const { until, retryAfterMs, id } = outcome;
    throw new IdempotencyInProgressError(until, retryAfterMs, { method: declaration.method, id });
  };
  // Not async, and what is no promise is not awaited below: every call pays for each one more.
  return (self, args, run) => {
    try {
      return call(self, args, run).then(resultOf);
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on
      return Promise.reject(error);
    }
  };
}

function mayRunWithoutKey(error: unknown, { onMissingKey }: Settings): boolean {
  return onMissingKey === 'run' && isIdempotencyKeyError(error) && error.missing;
}

function publishMissingKey(method: string, { settings, namespace }: ResolvedOptions): void {
  publish(
    { id: '', namespace, method, token: '', startedMs: settings.clock.now(), settings },
    { type: 'unprotected', why: 'missing-key' },
  );
}
