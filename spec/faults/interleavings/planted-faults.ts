import {
  RecordStatus,
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type Completion,
  type IdempotencyStore,
} from '../../../lib/store/idempotency-store.js';
import { isIdempotencyClaimLostError } from '../../../lib/errors/index.js';
import {
  ExpiryLeftBehindStore,
  ShorteningRenewalStore,
  TokenBlindCompleteStore,
  TokenBlindReleaseStore,
} from '../../contract/broken-stores.js';
import type { Parts } from './interleaving.js';
import type { NetworkStore } from './network.js';

/** A mistake that somebody could make, and the invariant that it must be seen to break. */
export interface PlantedFault {
  readonly name: string;
  readonly breaks: RegExp;
  readonly parts: Parts;
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a completion that does not look at the token',
    breaks: /a complete wrote under a token that is not its own/,
    parts: { table: (options) => new TokenBlindCompleteStore(options) },
  },
  {
    name: 'a release that does not look at the token',
    breaks: /a release changed the claim of another call/,
    parts: { table: (options) => new TokenBlindReleaseStore(options) },
  },
  {
    name: 'a takeover that reads and then writes',
    breaks: /a live claim was taken over|a claim was shortened|a finished record/,
    parts: { store: (store) => wrapped(store, { claim: readThenWrite(store) }) },
  },
  {
    name: 'a renewal that leaves `expires_at` behind',
    breaks: /a live claim was taken over/,
    parts: { table: (options) => new ExpiryLeftBehindStore(options) },
  },
  {
    name: 'a renewal that shortens the claim',
    breaks: /a claim was shortened/,
    parts: { table: (options) => new ShorteningRenewalStore(options) },
  },
  {
    name: 'a start on a claim that took too long',
    breaks: /started (on a lapsed|without a) claim/,
    parts: { store: (store) => wrapped(store, { claim: claimThatSeemsLive(store) }) },
  },
  {
    name: 'a release after a failed completion',
    breaks: /the key of a successful method was released/,
    parts: { store: (store) => wrapped(store, { complete: completeOrRelease(store) }) },
  },
];

/** The store with some operations replaced. */
function wrapped(store: NetworkStore, replaced: Partial<IdempotencyStore>): IdempotencyStore {
  return {
    claim: (request) => store.claim(request),
    renew: (claim, inProgressUntilMs) => store.renew(claim, inProgressUntilMs),
    complete: (claim, completion) => store.complete(claim, completion),
    release: (claim) => store.release(claim),
    get: (id) => store.get(id),
    forget: (id, options) => store.forget(id, options),
    ...replaced,
  };
}

/** Whatever was claimed or recorded between the two requests is overwritten. */
function readThenWrite(store: NetworkStore): IdempotencyStore['claim'] {
  return async (request) => {
    const { id, token } = request;
    const seen = await store.send('get', token, (table) => table.get(id));
    const hasLapsed = seen?.takeoverAtMs !== undefined && seen.takeoverAtMs < request.nowMs;
    const isTakeover = hasLapsed && seen.status === RecordStatus.IN_PROGRESS;
    if (!isTakeover || request.onExpiredClaim === 'reject') return store.claim(request);
    return store.send(
      'claim',
      token,
      (table) => {
        table.seed({ ...recordOf(request), status: RecordStatus.IN_PROGRESS, claimToken: token });
        return Promise.resolve(takenOver(request));
      },
      request,
    );
  };
}

function recordOf({ id, nowMs, ttlMs, inProgressUntilMs }: ClaimRequest) {
  const aSecondMs = 1000; // The largest clock skew of all interleavings.
  const expiresAtMs = Math.max(nowMs + ttlMs, inProgressUntilMs + aSecondMs);
  return { id, inProgressUntilMs, expiresAtMs };
}

function takenOver(request: ClaimRequest): ClaimOutcome {
  const { token } = request;
  return { claimed: true, claim: { ...recordOf(request), token, tookOver: true } };
}

/** The engine believes that there is time enough, however long the claim took. */
function claimThatSeemsLive(store: NetworkStore): IdempotencyStore['claim'] {
  return async (request) => {
    const outcome = await store.claim(request);
    if (!outcome.claimed) return outcome;
    const inProgressUntilMs = outcome.claim.inProgressUntilMs + 3_600_000;
    return { claimed: true, claim: { ...outcome.claim, inProgressUntilMs } };
  };
}

/** Frees the key although the method has succeeded. */
function completeOrRelease(store: NetworkStore): IdempotencyStore['complete'] {
  return async (claim: Claim, completion: Completion) => {
    try {
      await store.complete(claim, completion);
    } catch (error) {
      if (!isIdempotencyClaimLostError(error)) await store.release(claim);
      throw error;
    }
  };
}
