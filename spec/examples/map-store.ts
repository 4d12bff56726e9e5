import {
  IdempotencyClaimLostError,
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type Completion,
  type ForgetOptions,
  type IdempotencyRecord,
  type IdempotencyStore,
} from '../../lib/index.js';

/**
 * A store of one's own, complete, for a single process. Each method does its work in one synchronous
 * step, which is what makes it atomic here; a database needs a conditional write.
 */
export class MapStore implements IdempotencyStore {
  readonly #records = new Map<string, IdempotencyRecord>();

  async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const { id, token, nowMs, ttlMs, inProgressUntilMs, fingerprint, onExpiredClaim } = request;
    const record = this.#read(id);
    const abandoned = record?.status === 'INPROGRESS';
    const isFree = record === undefined || hasEnded(record, nowMs);
    if (!isFree || (abandoned && onExpiredClaim === 'reject')) return { claimed: false, record };
    const expiresAtMs = Math.max(nowMs + ttlMs, inProgressUntilMs);
    const expiry = onExpiredClaim === 'reject' ? {} : { expiresAtMs };
    const print = fingerprint === undefined ? {} : { fingerprint };
    this.#put({
      id,
      status: 'INPROGRESS',
      claimToken: token,
      inProgressUntilMs,
      ...expiry,
      ...print,
    });
    return {
      claimed: true,
      claim: { id, token, inProgressUntilMs, ...expiry, tookOver: abandoned },
    };
  }

  async renew(claim: Claim, inProgressUntilMs: number): Promise<void> {
    const record = this.#ownedBy(claim);
    const { status, expiresAtMs } = record;
    if (status !== 'INPROGRESS' || (record.inProgressUntilMs ?? Infinity) > inProgressUntilMs)
      return;
    const expiry = expiresAtMs && { expiresAtMs: Math.max(expiresAtMs, inProgressUntilMs) };
    this.#put({ ...record, inProgressUntilMs, ...expiry });
  }

  async complete(claim: Claim, { nowMs, ttlMs, ...outcome }: Completion): Promise<void> {
    const { id, claimToken, fingerprint } = this.#ownedBy(claim);
    const kept = { id, ...(claimToken && { claimToken }), ...(fingerprint && { fingerprint }) };
    this.#put({ ...kept, ...outcome, completedAtMs: nowMs, expiresAtMs: nowMs + ttlMs });
  }

  async release({ id, token }: Pick<Claim, 'id' | 'token'>): Promise<void> {
    const record = this.#records.get(id);
    if (record?.claimToken === token && record.status === 'INPROGRESS') this.#records.delete(id);
  }

  async get(id: string): Promise<IdempotencyRecord | undefined> {
    return this.#read(id);
  }

  async forget(id: string, { force, nowMs = Date.now() }: ForgetOptions = {}): Promise<boolean> {
    const record = this.#records.get(id);
    const isLive = record?.status === 'INPROGRESS' && !hasEnded(record, nowMs);
    return isLive && force !== true ? false : this.#records.delete(id);
  }

  #ownedBy({ id, token }: Claim): IdempotencyRecord {
    const record = this.#read(id);
    if (record?.claimToken !== token) throw new IdempotencyClaimLostError({ id });
    return record;
  }

  /** A copy, as is what {@link #put} keeps: a record changes with nobody. */
  #read(id: string): IdempotencyRecord | undefined {
    return structuredClone(this.#records.get(id));
  }

  #put(record: IdempotencyRecord): void {
    const { id, status, inProgressUntilMs = Infinity, expiresAtMs = Infinity } = record;
    const claimEndMs = status === 'INPROGRESS' ? inProgressUntilMs : Infinity;
    const takeoverAtMs = Math.min(claimEndMs, expiresAtMs);
    const end = takeoverAtMs < Infinity && { takeoverAtMs };
    this.#records.set(id, structuredClone({ ...record, ...end }));
  }
}

/** Strictly: at its very end a record still stands. */
function hasEnded({ takeoverAtMs = Infinity }: IdempotencyRecord, nowMs: number): boolean {
  return takeoverAtMs < nowMs;
}
