import {
  IdempotencyExpiredClaimError,
  IdempotencyPayloadMismatchError,
  IdempotencyRecordError,
  isIdempotencyClaimLostError,
  isIdempotencyExpiredClaimError,
  isIdempotencyPayloadMismatchError,
} from '../errors/index.js';
import {
  RecordStatus,
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type IdempotencyRecord,
} from '../store/idempotency-store.js';
import { limitsOf, type Call } from './call.js';
import { claimEndMs } from './lease.js';
import { release } from './release.js';
import { promiseOf, storeFailure } from './store-failure.js';

/** After this many claims that came to nothing the call gives up as in progress. */
const MAX_ROUNDS = 3;

/** Nothing stands in the way of a claim. */
export const FREE = Symbol('free');

/** What a call that wants the key finds. */
export type Claimed =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'recorded'; readonly record: IdempotencyRecord }
  | { readonly kind: 'in-progress'; readonly untilMs: number };

/**
 * Claims the key, or says what stands in the way. Never resolves to a claim that is over already:
 * one that took too long is renewed by its token, and where that comes too late, made again.
 *
 * @throws IdempotencyPayloadMismatchError, IdempotencyExpiredClaimError, IdempotencyRecordError;
 * and whatever the store rejects with, after which the claim may stand all the same.
 */
export async function claimKey(call: Call): Promise<Claimed> {
  const { clock } = call.settings;
  let untilMs = 0;
  let ours: Claim | undefined;
  try {
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const nowMs = clock.now();
      const request = requestOf(call, nowMs);
      const outcome = await promiseOf(call.store.claim(request, limitsOf(call, nowMs)));
      checkOutcome(outcome, call);
      ours = outcome.claimed ? outcome.claim : ownClaim(outcome.record, call);
      if (ours !== undefined) {
        const live = clock.now() < ours.inProgressUntilMs ? ours : await renewed(ours, call);
        if (live !== undefined) return { kind: 'claimed', claim: live };
        untilMs = ours.inProgressUntilMs;
      } else if (!outcome.claimed) {
        const found = assess(outcome.record, nowMs, call);
        if (found !== FREE) return found;
        untilMs = outcome.record?.takeoverAtMs ?? nowMs;
      }
    }
  } catch (cause) {
    // Whatever became of this request, the claim of an earlier one may stand.
    if (ours === undefined) throw cause;
    throw storeFailure('claim', cause, call, { maybeApplied: true });
  }
  // Nobody will work under a claim that came too late: it must not block the key until it lapses.
  if (ours !== undefined) await release(ours, call);
  return { kind: 'in-progress', untilMs };
}

function requestOf(call: Call, nowMs: number): ClaimRequest {
  const { id, token, lease, settings, fingerprint } = call;
  return {
    id,
    token,
    nowMs,
    ttlMs: settings.ttlMs,
    inProgressUntilMs: claimEndMs(lease, nowMs),
    onExpiredClaim: settings.onExpiredClaim,
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

/** Whoever wrote the store, a claim that this call did not make must not let the method run. */
function checkOutcome(outcome: ClaimOutcome, call: Call): void {
  const { claimed } = outcome as Partial<ClaimOutcome>;
  if (typeof claimed !== 'boolean' || (claimed && !isClaimOf(call, outcome))) {
    throw new TypeError('The store resolved `claim` to something that is no outcome');
  }
}

function isClaimOf(call: Call, outcome: ClaimOutcome): boolean {
  const claim = (outcome as { claim?: Partial<Claim> }).claim;
  return typeof claim?.inProgressUntilMs === 'number' && claim.token === call.token;
}

/**
 * A refused claim that shows our own token was ours all along: an earlier attempt was applied and
 * only its reply was lost. Whether it took over an abandoned one is unknown then.
 */
function ownClaim(record: IdempotencyRecord | undefined, call: Call): Claim | undefined {
  if (!isOwnClaim(record, call)) return undefined;
  return {
    id: call.id,
    token: call.token,
    inProgressUntilMs: record.inProgressUntilMs ?? 0,
    ...(record.expiresAtMs === undefined ? {} : { expiresAtMs: record.expiresAtMs }),
    tookOver: true,
  };
}

/** Whether a record is a claim of this very call. */
export function isOwnClaim(
  record: IdempotencyRecord | undefined,
  call: Call,
): record is IdempotencyRecord {
  return record?.claimToken === call.token && record.status === RecordStatus.IN_PROGRESS;
}

/** A claim that is over by the time it is known, renewed once; `undefined` where that is too late. */
async function renewed(claim: Claim, call: Call): Promise<Claim | undefined> {
  const { clock } = call.settings;
  const inProgressUntilMs = claimEndMs(call.lease, clock.now());
  try {
    await promiseOf(call.store.renew(claim, inProgressUntilMs, limitsOf(call)));
  } catch (error) {
    if (isIdempotencyClaimLostError(error)) return undefined;
    throw error;
  }
  return clock.now() < inProgressUntilMs ? { ...claim, inProgressUntilMs } : undefined;
}

/** What a record, or none, means for a call at `nowMs`: {@link FREE} where a claim would be made. */
export function assess(
  record: IdempotencyRecord | undefined,
  nowMs: number,
  call: Call,
): Claimed | typeof FREE {
  if (record === undefined || isReplaceable(record, nowMs, call)) return FREE;
  return judge(record, nowMs, call);
}

function isReplaceable(record: IdempotencyRecord, nowMs: number, call: Call): boolean {
  if (record.takeoverAtMs === undefined || record.takeoverAtMs >= nowMs) return false;
  return record.status !== RecordStatus.IN_PROGRESS || call.settings.onExpiredClaim !== 'reject';
}

/** Whether an error is what {@link assess} found in a record, and no failure of the store. */
export function isVerdict(error: unknown): boolean {
  return isIdempotencyPayloadMismatchError(error) || isIdempotencyExpiredClaimError(error);
}

/** What a record that stands in the way means for the call. The payload is compared first. */
function judge(record: IdempotencyRecord, nowMs: number, call: Call): Claimed {
  if (
    call.fingerprint !== undefined &&
    record.fingerprint !== undefined &&
    call.fingerprint !== record.fingerprint
  ) {
    throw new IdempotencyPayloadMismatchError(record, call);
  }
  switch (record.status) {
    case RecordStatus.COMPLETED:
    case RecordStatus.FAILED:
      return { kind: 'recorded', record };
    case RecordStatus.IN_PROGRESS:
      if (record.takeoverAtMs === undefined) {
        throw new IdempotencyRecordError('it is in progress and never ends', call);
      }
      if (record.takeoverAtMs < nowMs) throw new IdempotencyExpiredClaimError(record, call);
      return { kind: 'in-progress', untilMs: record.takeoverAtMs };
    default:
      throw new IdempotencyRecordError('its status is unknown', call);
  }
}
