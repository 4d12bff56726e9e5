import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { StoreOperation } from '../errors/index.js';
import { nameOfThrown } from '../errors/name-of-thrown.js';
import type { Call } from './call.js';

/** What every event tells. */
export interface EventBase {
  readonly id: string;
  readonly namespace: string;
  /** `Class.method`. */
  readonly method: string;
  /** The claim token of the call the event is about. */
  readonly token: string;
  /** Milliseconds since that call began. */
  readonly durationMs: number;
}

/** What happens to idempotent calls, told apart by `type`. */
export type IdempotencyEvent = EventBase & EventDetails;

/** What is particular to each `type` of event. */
export type EventDetails =
  /** The call owns the key and will run the method. `takeover`: after an abandoned call. */
  | { readonly type: 'claimed'; readonly takeover: boolean }
  /** The call got a recorded result (or error: `failed`). */
  | { readonly type: 'replayed'; readonly failed: boolean }
  /** Another call is running; this one gave up. */
  | { readonly type: 'in-progress'; readonly untilMs: number }
  /** The outcome is recorded. `failed`: it is a recorded error. */
  | { readonly type: 'completed'; readonly failed: boolean; readonly resultOmitted: boolean }
  /** The key is free again: the method threw, or `recordResultIf` said false. */
  | { readonly type: 'released' }
  | { readonly type: 'renewed'; readonly inProgressUntilMs: number }
  /** `renewFor` is over while the method still runs: the claim will lapse. */
  | { readonly type: 'renewal-ended'; readonly inProgressUntilMs: number }
  /** The claim lapsed and another call took the key over. */
  | { readonly type: 'claim-lost' }
  /** The method succeeded and its outcome could not be recorded. */
  | { readonly type: 'completion-failed'; readonly error: unknown }
  /** A store operation failed. */
  | { readonly type: 'store-error'; readonly operation: StoreOperation; readonly error: unknown }
  /** The method runs without protection. */
  | { readonly type: 'unprotected'; readonly why: 'missing-key' | 'store-unavailable' };

/** One channel per process, shared by all copies of this package. */
const CHANNEL = 'mayfly-idempotency';
// Kept for good: a channel that nobody holds would be collected with its subscribers.
const events = channel(CHANNEL);

/** Whether anybody listens: on the way of every call, what nobody hears is not even put together. */
export function isObserved(): boolean {
  return events.hasSubscribers;
}

/** Tells who listens. */
export function publish(
  call: Pick<Call, 'id' | 'namespace' | 'method' | 'token' | 'startedMs' | 'settings'>,
  details: EventDetails,
): void {
  if (!isObserved()) return;
  events.publish({
    id: call.id,
    namespace: call.namespace,
    method: call.method,
    token: call.token,
    durationMs: Math.max(0, call.settings.clock.now() - call.startedMs),
    ...details,
  } satisfies IdempotencyEvent);
}

/**
 * Calls `listener` with every event of this process, as it happens. What a listener throws or
 * rejects with changes nothing in the calls; it is given as a process warning.
 *
 * @returns A function that ends it.
 * @example
 * ```ts
 * const stop = observeIdempotency((event) => {
 *   if (event.type === 'replayed') metrics.count('replays', { method: event.method });
 * });
 * ```
 */
export function observeIdempotency(listener: (event: IdempotencyEvent) => unknown): () => void {
  if (typeof listener !== 'function') {
    throw new TypeError('Expected the listener to be a function (observeIdempotency)');
  }
  const guarded = (event: unknown): void => {
    try {
      const returned = listener(event as IdempotencyEvent);
      if (isThenable(returned)) returned.then(undefined, warnOfListener);
    } catch (error) {
      warnOfListener(error);
    }
  };
  subscribe(CHANNEL, guarded);
  return () => {
    unsubscribe(CHANNEL, guarded);
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined | null)?.then === 'function';
}

// What is thrown here the channel makes an uncaught exception, even by an error's own getter.
function warnOfListener(error: unknown): void {
  process.emitWarning(`A listener of observeIdempotency failed: ${nameOfThrown(error)}`, {
    type: 'IdempotencyWarning',
    code: 'MAYFLY_LISTENER_FAILED',
  });
}
