import type {
  Claim,
  ClaimOutcome,
  ClaimRequest,
  Completion,
} from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';

/*
 * Stores that each break one promise of the contract, all of them the way real ones have: a
 * contract suite that lets one of these pass protects nobody.
 */

/** Looks first and writes afterwards, without a condition: two callers see the same gap. */
export class ReadThenWriteClaimStore extends MemoryStore {
  override async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const seen = await this.get(request.id);
    const judge = new MemoryStore();
    if (seen !== undefined) judge.seed(seen);
    const outcome = await judge.claim(request);
    for (const record of judge.records()) this.seed(record);
    return outcome;
  }
}

/** Completes whatever claim is there: a late owner overwrites its successor's. */
export class TokenBlindCompleteStore extends MemoryStore {
  override async complete(claim: Claim, completion: Completion): Promise<void> {
    const { claimToken: token = claim.token } = (await this.get(claim.id)) ?? {};
    await super.complete({ ...claim, token }, completion);
  }
}

/** Deletes whatever claim is there: a late owner frees the key under its successor. */
export class TokenBlindReleaseStore extends MemoryStore {
  override async release(claim: Pick<Claim, 'id' | 'token'>): Promise<void> {
    const { claimToken: token = claim.token } = (await this.get(claim.id)) ?? {};
    await super.release({ ...claim, token });
  }
}

/** Moves the lease alone: a claim that outlives its ttl counts as expired while it is live. */
export class ExpiryLeftBehindStore extends MemoryStore {
  override async renew(claim: Claim, inProgressUntilMs: number): Promise<void> {
    const before = await this.get(claim.id);
    await super.renew(claim, inProgressUntilMs);
    const after = await this.get(claim.id);
    if (before?.expiresAtMs === undefined || after === undefined) return;
    this.seed({ ...after, expiresAtMs: before.expiresAtMs });
  }
}

/** Takes each renewal at its word: one that arrives late cuts the claim short. */
export class ShorteningRenewalStore extends MemoryStore {
  override async renew(claim: Claim, inProgressUntilMs: number): Promise<void> {
    await super.renew(claim, inProgressUntilMs);
    const record = await this.get(claim.id);
    if (record?.status === 'INPROGRESS') this.seed({ ...record, inProgressUntilMs });
  }
}
