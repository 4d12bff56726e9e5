import { randomUUID } from 'node:crypto';
import { isEnabled } from '../configuration/off-switch.js';
import { resolveStore } from '../configuration/resolve-store.js';
import { validateMethodOptions } from '../configuration/validate-options.js';
import { IdempotencyInProgressError, isIdempotencyKeyError } from '../errors/index.js';
import type { CallOutcome } from './answer.js';
import type { Call, OnReplay } from './call.js';
import type { Declaration } from './declaration.js';
import { publish } from './events.js';
import { fingerprintOfCall, idOfCall } from './key-of-call.js';
import { contextOf } from './lambda-context.js';
import { leaseFor } from './lease.js';
import { execute } from './protocol.js';
import { optionsResolver, type ResolvedOptions } from './resolved-options.js';

export type { AnyMethodOptions, Declaration } from './declaration.js';

/** Runs a method under its declaration: `self` and `args` as it was called, `run` to run it. */
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
  const { options, where } = declaration;
  validateMethodOptions(options, where);
  const resolve = optionsResolver(declaration);

  return async (self, args, run) => {
    const resolved = resolve(self);
    const { settings, namespace } = resolved;
    if (!isEnabled(settings.enabled)) return { status: 'executed', result: await run() };

    const { context, argumentCount } = contextOf(options.context, self, args);
    let id: string;
    try {
      id = idOfCall(declaration, namespace, self, args, argumentCount);
    } catch (error) {
      if (!mayRunWithoutKey(error, resolved)) throw error;
      publishMissingKey(declaration, resolved);
      return { status: 'executed', result: await run() };
    }
    const fingerprint = fingerprintOfCall(declaration, self, args);
    const store = resolveStore(settings.store, self, where);
    const call: Call = {
      method: declaration.method,
      id,
      namespace,
      token: randomUUID(),
      startedMs: settings.clock.now(),
      settings,
      store: store instanceof Promise ? await store : store,
      lease: leaseFor(settings.leaseMs, context, settings.clock),
      fingerprint,
      onReplay: options.onReplay as OnReplay | undefined,
      run,
    };
    return execute(call);
  };
}

/** The same for doors whose caller wants a result or an error and nothing in between. */
export function protect(
  declaration: Declaration,
): (self: unknown, args: readonly unknown[], run: () => unknown) => Promise<unknown> {
  const call = protectedCall(declaration);
  return async (self, args, run) => {
    const outcome = await call(self, args, run);
    if (outcome.status !== 'in-progress') return outcome.result;
    const { method } = declaration;
    throw new IdempotencyInProgressError(outcome.until, outcome.retryAfterMs, {
      method,
      id: outcome.id,
    });
  };
}

function mayRunWithoutKey(error: unknown, { settings }: ResolvedOptions): boolean {
  return settings.onMissingKey === 'run' && isIdempotencyKeyError(error) && error.missing;
}

function publishMissingKey(
  { method }: Declaration,
  { settings, namespace }: ResolvedOptions,
): void {
  publish(
    { id: '', namespace, method, token: '', startedMs: settings.clock.now(), settings },
    { type: 'unprotected', why: 'missing-key' },
  );
}
