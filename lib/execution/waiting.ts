import { isIdempotencyStoreError } from '../errors/index.js';
import { pause } from '../time/clock.js';
import { inProgress, replay, type CallOutcome } from './answer.js';
import { attempt } from './attempt.js';
import { limitsOf, type Call } from './call.js';
import { assess, claimKey, FREE, isOwnClaim, isVerdict, type Claimed } from './claiming.js';
import { publish } from './events.js';
import { Flight, STILL_FLYING } from './flight.js';
import { endInTimeMs } from './lease.js';
import { promiseOf, storeFailure } from './store-failure.js';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

/**
 * The protocol for a call that waits for a running one. Of all such calls in this process one leads
 * and asks the store; the others join it and cost no request. When the leader comes to nothing (the
 * method threw, its own patience ended) one of them leads in its place.
 */
export async function waitForOutcome(call: Call): Promise<CallOutcome> {
  const { clock, waitMs } = call.settings;
  const untilMs = endInTimeMs(call.lease, clock.now() + waitMs);
  for (;;) {
    const flight = Flight.toJoin(call);
    if (flight === undefined) return lead(call, untilMs);
    const landing = await flight.join(untilMs, clock);
    if (landing === STILL_FLYING) return giveUp(flight, call);
    if (landing !== undefined) return replay(landing, call);
  }
}

async function lead(call: Call, untilMs: number): Promise<CallOutcome> {
  const flight = Flight.start(call);
  try {
    return await attempt(call, () => claimWithin(untilMs, flight, call), flight);
  } finally {
    flight.land(undefined);
  }
}

/** Claims the key, or waits until what stands in the way is recorded, gone, or `untilMs` is over. */
async function claimWithin(untilMs: number, flight: Flight, call: Call): Promise<Claimed> {
  const { clock } = call.settings;
  for (;;) {
    const claimed = await claimKey(call);
    if (claimed.kind !== 'in-progress' || clock.now() >= untilMs) return claimed;
    const other = Flight.toJoin(call);
    const found =
      other === undefined || other === flight
        ? await poll(claimed, untilMs, call)
        : await landingOf(other, claimed, untilMs, call);
    if (found !== FREE) return found;
  }
}

/** Another call of this process got the claim: it will say when it is done. */
async function landingOf(
  other: Flight,
  claimed: Claimed,
  untilMs: number,
  call: Call,
): Promise<Claimed | typeof FREE> {
  const landing = await other.join(untilMs, call.settings.clock);
  if (landing === STILL_FLYING) return claimed;
  return landing === undefined ? FREE : { kind: 'recorded', record: landing };
}

/** Looks at the record again and again, with pauses that grow and differ from caller to caller. */
async function poll(claimed: Claimed, untilMs: number, call: Call): Promise<Claimed | typeof FREE> {
  const { clock } = call.settings;
  let latest = claimed;
  let leftMs = untilMs - clock.now(); // The clock may be set back meanwhile.
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const pausedMs = Math.min(jittered(pauseMs), leftMs, untilMs - clock.now());
    if (pausedMs <= 0) return latest;
    await pause(clock, pausedMs);
    leftMs -= pausedMs;
    const found = await look(call);
    if (found === FREE) return FREE;
    if (found !== undefined) {
      if (found.kind !== 'in-progress') return found;
      latest = found;
    }
  }
}

/** `undefined` where the store did not answer: the next look may tell. */
async function look(call: Call): Promise<Claimed | typeof FREE | undefined> {
  try {
    // Judged by the time before the read: what has lapsed since may have been renewed since.
    const nowMs = call.settings.clock.now();
    const record = await promiseOf(call.store.get(call.id, limitsOf(call)));
    // A copy of its own claim landed late: claiming again finds out that the key is this call's.
    return isOwnClaim(record, call) ? FREE : assess(record, nowMs, call);
  } catch (cause) {
    passRetryable(cause, call);
    return undefined;
  }
}

/** Between half of it and all of it, so that waiting callers do not ask in step. */
function jittered(pauseMs: number): number {
  return Math.ceil(pauseMs * (0.5 + Math.random() / 2));
}

/**
 * The patience of a call that joined is over: one read tells all of them how things stand. Another
 * call is known to be running, so whatever the read comes to, this one neither runs nor fails open.
 */
async function giveUp(flight: Flight, call: Call): Promise<CallOutcome> {
  const nowMs = call.settings.clock.now();
  let found: Claimed | typeof FREE | undefined;
  try {
    const { record, atMs } = await flight.read();
    found = assess(record, atMs, call);
  } catch (cause) {
    passRetryable(cause, call);
  }
  if (found === undefined || found === FREE || found.kind === 'claimed') {
    return inProgress(nowMs, call);
  }
  return found.kind === 'recorded' ? replay(found.record, call) : inProgress(found.untilMs, call);
}

/** A read that failed says nothing about the key; only a failure that stays one is the caller's. */
function passRetryable(cause: unknown, call: Call): void {
  if (isVerdict(cause)) throw cause;
  const error = storeFailure('get', cause, call);
  if (!isIdempotencyStoreError(error) || !error.retryable) throw error;
  publish(call, { type: 'store-error', operation: 'get', error });
}
