import { IdempotencyClaimLostError } from '../errors/claim-lost-error.js';
import { systemClock, type Clock } from '../time/clock.js';
import { msToEpochSecondsRoundedUp, secondsToMs } from '../time/duration.js';
import {
  RecordStatus,
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type Commit,
  type Completion,
  type ForgetOptions,
  type IdempotencyRecord,
  type IdempotencyStore,
} from './idempotency-store.js';
import { MemoryCommits, type RecordStep } from './memory-store-commits.js';
import { checkMemoryStoreOptions, type MemoryStoreOptions } from './memory-store-options.js';

export type { MemoryStoreOptions };

type StoredRecord = Omit<IdempotencyRecord, 'takeoverAtMs'>;

/** Each claim looks at this many records, so a full pass outruns the growth that claims cause. */
const SWEPT_PER_CLAIM = 4;

/**
 * An abandoned claim is kept this long after its `expiresAtMs`, since its owner may yet complete
 * it: DynamoDB too deletes expired items only within a few days.
 */
const ABANDONED_CLAIM_KEPT_MS = 24 * 3600 * 1000;

/**
 * A store in the memory of one process, for tests and for programs that run as a single process. It
 * keeps to the same contract as the DynamoDB store, times in whole seconds included, but it protects
 * nobody outside the process and forgets everything with it.
 *
 * Records are copied on the way in and on the way out. Every operation takes the same time however
 * many records there are; expired ones are removed by the claims that come later, a few at a time.
 *
 * @throws TypeError, RangeError for wrong options, when the store is made.
 *
 * @example
 * ```ts
 * const store = new MemoryStore();
 * await withIdempotency({ store }, () => orders.place(event));
 * store.size; // 1
 * ```
 */
export class MemoryStore implements IdempotencyStore {
  readonly #clock: Clock;
  readonly #skewMs: number;
  readonly #maxRecords: number;
  readonly #records = new Map<string, StoredRecord>();
  /** Ids of completed and failed records, the one that has been so longest first. */
  readonly #settled = new Set<string>();
  // Both iterators outlive the call that made them: starting over each time would step over the
  // holes that deletions leave at the front of a Map, which costs more the more there were.
  #sweep = this.#records.values();
  #longestSettled = this.#settled.values();

  /** Present only with the option `transact`: a store without it has no transactions. */
  readonly commit?: (commit: Commit) => Promise<void>;
  /** Ids of claims whose commit is going on: nobody takes them over meanwhile. */
  readonly #committing = new Set<string>();

  constructor(options: MemoryStoreOptions = {}) {
    checkMemoryStoreOptions(options);
    this.#clock = options.clock ?? systemClock;
    this.#skewMs = secondsToMs(options.clockSkew ?? 0);
    this.#maxRecords = options.maxRecords ?? Infinity;
    if (options.transact !== undefined) {
      const commits = new MemoryCommits(options.transact, this.#clock);
      this.commit = (commit) => commits.run(commit, this.#stepOf(commit));
    }
  }

  /** How many records are kept, expired ones that have not been removed yet included. */
  get size(): number {
    return this.#records.size;
  }

  claim(request: ClaimRequest): Promise<ClaimOutcome> {
    return attempt(() => {
      const { id, token, nowMs, ttlMs, inProgressUntilMs, fingerprint, onExpiredClaim } = request;
      const former = this.#records.get(id);
      if (former !== undefined && this.#stands(former, request)) {
        return { claimed: false, record: this.#copyOut(former) };
      }
      const expiresAtMs =
        onExpiredClaim === 'reject'
          ? undefined
          : Math.max(wholeSeconds(nowMs + ttlMs), this.#leastExpiry(inProgressUntilMs));
      this.#put({
        id,
        status: RecordStatus.IN_PROGRESS,
        claimToken: token,
        inProgressUntilMs,
        ...(expiresAtMs !== undefined && { expiresAtMs }),
        ...(fingerprint !== undefined && { fingerprint }),
      });
      this.#makeRoom(nowMs);
      const claim: Claim = {
        id,
        token,
        inProgressUntilMs,
        ...(expiresAtMs !== undefined && { expiresAtMs }),
        tookOver: former?.status === RecordStatus.IN_PROGRESS,
      };
      return { claimed: true, claim };
    });
  }

  renew(claim: Claim, inProgressUntilMs: number): Promise<void> {
    return attempt(() => {
      const record = this.#ownedBy(claim);
      const { status, inProgressUntilMs: formerMs, expiresAtMs } = record;
      if (status !== RecordStatus.IN_PROGRESS) return;
      if (formerMs === undefined || formerMs > inProgressUntilMs) return;
      this.#put({
        ...record,
        inProgressUntilMs,
        ...(expiresAtMs !== undefined && {
          expiresAtMs: Math.max(expiresAtMs, this.#leastExpiry(inProgressUntilMs)),
        }),
      });
    });
  }

  complete(claim: Claim, completion: Completion): Promise<void> {
    return attempt(() => {
      this.#settle(this.#ownedBy(claim), completion);
    });
  }

  release(claim: Pick<Claim, 'id' | 'token'>): Promise<void> {
    return attempt(() => {
      const record = this.#records.get(claim.id);
      if (record?.claimToken !== claim.token || record.status !== RecordStatus.IN_PROGRESS) return;
      this.#delete(claim.id);
    });
  }

  get(id: string): Promise<IdempotencyRecord | undefined> {
    return attempt(() => {
      const record = this.#records.get(id);
      return record && this.#copyOut(record);
    });
  }

  forget(id: string, options: ForgetOptions = {}): Promise<boolean> {
    return attempt(() => {
      const record = this.#records.get(id);
      if (record === undefined) return false;
      const nowMs = options.nowMs ?? this.#clock.now();
      const live = record.status === RecordStatus.IN_PROGRESS && !this.#hasEnded(record, nowMs);
      if (live && options.force !== true) return false;
      this.#delete(id);
      return true;
    });
  }

  /** Copies of all records, expired ones that have not been removed yet included. */
  *records(): IterableIterator<IdempotencyRecord> {
    for (const record of this.#records.values()) yield this.#copyOut(record);
  }

  /** Puts a record in place as it is, whatever was there before: how a test sets its scene. */
  seed(record: IdempotencyRecord): void {
    const { takeoverAtMs, expiresAtMs, ...rest } = record;
    this.#put({
      ...copyOutcome(rest),
      ...(expiresAtMs !== undefined && { expiresAtMs: wholeSeconds(expiresAtMs) }),
    });
  }

  /** Removes every record, running claims too: their owners then end with a lost claim. */
  clear(): void {
    this.#records.clear();
    this.#settled.clear();
  }

  /** Whether a record refuses the claim. The comparisons are strict: at its very end it stands. */
  #stands(record: StoredRecord, { nowMs, onExpiredClaim }: ClaimRequest): boolean {
    if (record.status === RecordStatus.IN_PROGRESS && onExpiredClaim === 'reject') return true;
    return !this.#hasEnded(record, nowMs);
  }

  #hasEnded(record: StoredRecord, nowMs: number): boolean {
    if (this.#committing.has(record.id)) return false;
    const takeoverAtMs = this.#takeoverAtMs(record);
    return takeoverAtMs !== undefined && takeoverAtMs < nowMs;
  }

  #takeoverAtMs({ status, inProgressUntilMs, expiresAtMs }: StoredRecord): number | undefined {
    const lapsesAtMs = status === RecordStatus.IN_PROGRESS ? inProgressUntilMs : undefined;
    const endsAtMs = Math.min(lapsesAtMs ?? Infinity, expiresAtMs ?? Infinity);
    return endsAtMs === Infinity ? undefined : endsAtMs + this.#skewMs;
  }

  #leastExpiry(inProgressUntilMs: number): number {
    return wholeSeconds(inProgressUntilMs + this.#skewMs);
  }

  #settle({ id, claimToken, fingerprint }: StoredRecord, completion: Completion): void {
    const { nowMs, ttlMs, ...outcome } = completion;
    this.#put({
      id,
      ...(claimToken !== undefined && { claimToken }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...copyOutcome(outcome),
      completedAtMs: nowMs,
      expiresAtMs: wholeSeconds(nowMs + ttlMs),
    });
  }

  #stepOf({ outcome }: Commit): RecordStep | undefined {
    if (outcome === undefined) return undefined;
    const { claim, completion } = outcome;
    let record: StoredRecord;
    return {
      begin: () => {
        record = this.#ownedBy(claim);
        if (record.status !== RecordStatus.IN_PROGRESS) return false;
        this.#committing.add(claim.id);
        return true;
      },
      settle: () => {
        this.#settle(record, completion);
      },
      end: () => {
        this.#committing.delete(claim.id);
      },
    };
  }

  #ownedBy({ id, token }: Claim): StoredRecord {
    const record = this.#records.get(id);
    if (record?.claimToken !== token) throw new IdempotencyClaimLostError({ id });
    return record;
  }

  #put(record: StoredRecord): void {
    this.#records.set(record.id, record);
    this.#settled.delete(record.id);
    if (record.status !== RecordStatus.IN_PROGRESS) this.#settled.add(record.id);
  }

  #delete(id: string): void {
    this.#records.delete(id);
    this.#settled.delete(id);
  }

  #makeRoom(nowMs: number): void {
    for (let looked = 0; looked < SWEPT_PER_CLAIM; looked++) {
      const next = this.#sweep.next();
      if (next.done === true) this.#sweep = this.#records.values();
      else if (this.#isDisposable(next.value, nowMs)) this.#delete(next.value.id);
    }
    while (this.#records.size > this.#maxRecords && this.#settled.size > 0) {
      const next = this.#longestSettled.next();
      if (next.done === true) this.#longestSettled = this.#settled.values();
      else this.#delete(next.value);
    }
  }

  #isDisposable({ status, expiresAtMs }: StoredRecord, nowMs: number): boolean {
    if (expiresAtMs === undefined) return false;
    const full = this.#records.size > this.#maxRecords;
    const keptMs = status === RecordStatus.IN_PROGRESS && !full ? ABANDONED_CLAIM_KEPT_MS : 0;
    return expiresAtMs + this.#skewMs + keptMs < nowMs;
  }

  #copyOut(record: StoredRecord): IdempotencyRecord {
    const takeoverAtMs = this.#takeoverAtMs(record);
    return { ...copyOutcome(record), ...(takeoverAtMs !== undefined && { takeoverAtMs }) };
  }
}

/** Copies a record, or the part of it that a completion brings, with what it holds by reference. */
function copyOutcome<T extends Pick<IdempotencyRecord, 'result' | 'error'>>(outcome: T): T {
  return {
    ...outcome,
    ...(typeof outcome.result === 'object' && { result: Uint8Array.from(outcome.result) }),
    ...(outcome.error !== undefined && { error: { ...outcome.error } }),
  };
}

/** The precision in which DynamoDB keeps `expires_at`, so that both stores agree. */
function wholeSeconds(ms: number): number {
  return secondsToMs(msToEpochSecondsRoundedUp(ms));
}

/** Runs `operation` at once and in one go; whatever it throws becomes a rejection. */
function attempt<T>(operation: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(operation());
  });
}
