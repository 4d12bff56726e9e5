import type { Claim } from '../store/idempotency-store.js';
import { within } from '../time/clock.js';
import { limitsOf, type Call } from './call.js';
import { publish } from './events.js';
import { promiseOf, reportFailure } from './store-failure.js';

/** A release that takes longer than any store's own timeout goes on without its caller. */
const MAX_RELEASE_MS = 10_000;

/**
 * Frees the key by the call's token. Never rejects: the key then stays claimed until the lease ends,
 * and whatever the caller is about to get says more.
 */
export async function release(claim: Pick<Claim, 'id' | 'token'>, call: Call): Promise<void> {
  try {
    const released = promiseOf(call.store.release(claim, limitsOf(call)));
    await within(released, MAX_RELEASE_MS, call.settings.clock);
    publish(call, { type: 'released' });
  } catch (cause) {
    reportFailure('release', cause, call);
  }
}
