import { isIdempotencyClaimLostError } from '../errors/index.js';
import type { Claim } from '../store/idempotency-store.js';
import { within, type Timer } from '../time/clock.js';
import { limitsOf, type Call } from './call.js';
import { publish } from './events.js';
import { claimEndMs } from './lease.js';
import { promiseOf, reportFailure } from './store-failure.js';

/** Renewals per lease: two may fail before the claim lapses. */
const RENEWALS_PER_LEASE = 3;

/** A renewal without an answer counts as failed when the next one is due, within these bounds. */
const MIN_RENEWING_MS = 1000;
const MAX_RENEWING_MS = 10_000;

/** What renewing has come to. */
export interface RenewedClaim {
  /** The claim, with its end as far as it is known to have been moved. */
  readonly claim: Claim;
  /** Whether somebody else was found to have the key. */
  readonly lost: boolean;
}

/** Keeps a claim alive while its method runs. */
export interface Renewal {
  /** Ends it: no renewal starts any more, and one in flight has settled when this resolves. */
  stop(): Promise<RenewedClaim>;
}

/** Who wants to know what becomes of the claim. */
export interface RenewalObserver {
  moveEnd(endMs: number): void;
  lose(): void;
}

/**
 * Renews `claim` each third of its lease until stopped, lost, or `renewFor` is over. A renewal that
 * fails is tried again at the next third and never rejects anywhere: events tell. The timer does not
 * keep the process alive.
 */
export function startRenewal(claim: Claim, call: Call, observer?: RenewalObserver): Renewal {
  const { clock, renewForMs } = call.settings;
  const periodMs = Math.max(1, Math.floor(call.lease.leaseMs / RENEWALS_PER_LEASE));
  const renewingMs = Math.min(Math.max(periodMs, MIN_RENEWING_MS), MAX_RENEWING_MS);
  const endMs = clock.now() + renewForMs;
  let current = claim;
  let lost = false;
  let stopped = false;
  let timer: Timer | undefined;
  let inFlight: Promise<void> | undefined;

  const schedule = (elapsedMs: number): void => {
    timer = clock.setTimer(tick, periodMs - Math.min(Math.max(0, elapsedMs), periodMs));
    timer.unref();
  };
  const tick = (): void => {
    if (clock.now() > endMs) {
      publish(call, { type: 'renewal-ended', inProgressUntilMs: current.inProgressUntilMs });
      return;
    }
    inFlight = renewOnce().finally(() => {
      inFlight = undefined;
    });
  };
  const renewOnce = async (): Promise<void> => {
    const startedMs = clock.now();
    const untilMs = claimEndMs(call.lease, startedMs);
    try {
      const renewed = promiseOf(call.store.renew(claim, untilMs, limitsOf(call)));
      await within(renewed, renewingMs, clock);
      current = { ...current, inProgressUntilMs: untilMs };
      observer?.moveEnd(untilMs);
      publish(call, { type: 'renewed', inProgressUntilMs: untilMs });
    } catch (error) {
      if (isIdempotencyClaimLostError(error)) {
        lost = true;
        observer?.lose();
        publish(call, { type: 'claim-lost' });
        return; // Somebody else's now: there is nothing left to renew.
      }
      reportFailure('renew', error, call);
    }
    if (!stopped) schedule(clock.now() - startedMs);
  };

  // The lease runs since the claim was asked for: of a slow claim little may be left.
  if (renewForMs > 0) schedule(call.lease.leaseMs - (claim.inProgressUntilMs - clock.now()));
  return {
    async stop() {
      stopped = true;
      timer?.cancel();
      await inFlight;
      return { claim: current, lost };
    },
  };
}
