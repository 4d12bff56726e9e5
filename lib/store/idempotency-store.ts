/**
 * The store contract: what the engine needs from whatever keeps the records, and nothing else.
 * The prose here is the contract; `describeStoreContract` (`mayfly-idempotency/testing`) holds each
 * sentence of it as a test.
 *
 * General rules for every method:
 * - It returns a promise and never throws synchronously.
 * - All times are milliseconds since the Unix epoch. Requests carry the caller's time (`nowMs`), so
 *   that only the engine has a clock. A store that allows for clocks that differ subtracts its
 *   `clockSkew` from `nowMs` wherever it decides whether somebody else's record has lapsed.
 * - Failures reject, preferably with an `IdempotencyStoreError`; no method answers a failure with a
 *   harmless value, since an outage taken for "no record" is a second charge.
 * - It holds no per-method settings: one store serves many methods with different options at once.
 */
export interface IdempotencyStore {
  /**
   * Optional. Milliseconds after which every operation has settled, whatever the back end does. Where
   * they are 10 s or less, the engine needs no timer of its own to bound the write of an outcome:
   * it relies on the promise.
   */
  readonly timeoutMs?: number;

  /**
   * Claims `request.id`, atomically: of any number of claims at the same moment at most one gets it.
   *
   * The claim is made when the id has no record; when its record has expired (`expiresAtMs` lies
   * before the request's time less the store's clock skew); or when the record is an in-progress one
   * whose `inProgressUntilMs` lies before that same moment. Exactly at either moment the record
   * still stands. An in-progress record without `inProgressUntilMs` lives until its `expiresAtMs`.
   *
   * Under `onExpiredClaim: 'reject'` an in-progress record is never replaced, however old, and the
   * claim made carries no `expiresAtMs`, so that nothing sweeps it either.
   *
   * Otherwise `expiresAtMs` of the new claim is at least `inProgressUntilMs` plus the clock skew:
   * no live claim can lapse or be swept through its ttl.
   *
   * A refused claim changes nothing and resolves to the record that stands in the way, its
   * `claimToken` included (the engine recognises its own), or to no record where that was gone by
   * the time it was read. The record was live at the moment of the refusal or was read after it with
   * full consistency.
   */
  claim(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome>;

  /**
   * Moves the end of a claim to `inProgressUntilMs`, and `expiresAtMs` with it where the claim
   * carries one (it stays at least `inProgressUntilMs` plus the clock skew, and never moves back).
   *
   * Only for the owner of the token, only while the record is in progress, and never backwards: a
   * delayed renewal changes nothing. Repeating a renewal is harmless. A claim that has lapsed but
   * that nobody took over is renewed.
   *
   * @throws IdempotencyClaimLostError when the record is gone or carries another token. A renewal
   * that was refused for any other reason (a later one was faster) resolves.
   */
  renew(claim: Claim, inProgressUntilMs: number, limits?: OperationLimits): Promise<void>;

  /**
   * Replaces the claim with its outcome: `status`, `expiresAtMs = nowMs + ttlMs`, and the result or
   * the error as given, byte for byte. Only for the owner of the token, also after the claim has
   * lapsed as long as nobody took it over. Repeating it is harmless. A store with a size limit
   * compresses what does not fit, and where that is not enough completes with `resultOmitted`
   * rather than fail.
   *
   * @throws IdempotencyClaimLostError when the record is gone or carries another token.
   */
  complete(claim: Claim, completion: Completion, limits?: OperationLimits): Promise<void>;

  /**
   * Deletes the claim, so that the next call claims the id at once. Only for the owner of the token
   * and only while the record is in progress: a completed record is never deleted. A record that is
   * missing, completed or somebody else's is left as it is, and the promise resolves.
   */
  release(claim: Pick<Claim, 'id' | 'token'>, limits?: OperationLimits): Promise<void>;

  /**
   * Optional. Applies the caller's own writes and, where `commit.outcome` is given, completes the
   * claim as {@link complete} does, all in one transaction: all of it or nothing, and only for the
   * owner of the token. Repeating it with the same token applies nothing twice.
   *
   * @throws IdempotencyClaimLostError when the record is gone or carries another token: nothing was
   * applied then.
   * @throws IdempotencyCommitError with `outcome: 'cancelled'` when one of the caller's writes was
   * refused: nothing was applied, and repeating is no use.
   */
  commit?(commit: Commit, limits?: OperationLimits): Promise<void>;

  /**
   * The record with this id as it is now, read with full consistency, expired or not, or
   * `undefined`. Reading changes nothing.
   */
  get(id: string, limits?: OperationLimits): Promise<IdempotencyRecord | undefined>;

  /**
   * Removes a record by hand, for operators. A live in-progress record is left alone unless
   * `options.force`; one that has lapsed goes. Resolves to whether a record was removed.
   */
  forget(id: string, options?: ForgetOptions): Promise<boolean>;
}

/** Bounds that the caller sets on one operation. */
export interface OperationLimits {
  /**
   * Milliseconds that the caller can wait, because its own time ends then. A store cuts its own
   * timeout to it and rejects when it is over; the write may have been applied all the same.
   */
  readonly timeoutMs?: number;
}

/** What to do about an in-progress record whose owner seems to have died. See the option. */
export type OnExpiredClaim = 'run' | 'reject';

/** The states of a record. `FAILED` is a recorded error. */
export const RecordStatus = {
  IN_PROGRESS: 'INPROGRESS',
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED',
} as const;

export type RecordStatus = (typeof RecordStatus)[keyof typeof RecordStatus];

/** What a call asks of {@link IdempotencyStore.claim}. */
export interface ClaimRequest {
  readonly id: string;
  /** Who claims: random and unique per call, never derived from the key or the payload. */
  readonly token: string;
  readonly nowMs: number;
  /** How long a completed record is kept; also the least that the claim's `expiresAtMs` lies ahead. */
  readonly ttlMs: number;
  /** When the claim lapses; later than `nowMs`. */
  readonly inProgressUntilMs: number;
  /** SHA-256 (hex) of what has to be equal for two calls to count as the same. */
  readonly fingerprint?: string;
  readonly onExpiredClaim: OnExpiredClaim;
}

/** A claim that was made: what the owner has to show to renew, complete or release it. */
export interface Claim {
  readonly id: string;
  readonly token: string;
  readonly inProgressUntilMs: number;
  /** Absent for a claim made under `onExpiredClaim: 'reject'`. */
  readonly expiresAtMs?: number;
  /**
   * Whether the claim replaced an in-progress record that had lapsed: its owner may have got as far
   * as the side effect. Unknown counts as `true`.
   */
  readonly tookOver: boolean;
}

/** The claim that was made, or the record that stands in its way where the engine returned it. */
export type ClaimOutcome =
  | { readonly claimed: true; readonly claim: Claim }
  | { readonly claimed: false; readonly record: IdempotencyRecord | undefined };

/** How a run ended, as {@link IdempotencyStore.complete} records it. */
export interface Completion {
  readonly status: typeof RecordStatus.COMPLETED | typeof RecordStatus.FAILED;
  readonly nowMs: number;
  readonly ttlMs: number;
  /** The encoded result; absent for `undefined` and for an omitted one. */
  readonly result?: EncodedResult;
  /** Name of the codec that encoded `result`; absent for plain JSON. */
  readonly encoding?: string;
  /** Why the result is not kept although the method succeeded. */
  readonly resultOmitted?: ResultOmittedReason;
  /** What is kept of a recorded error. */
  readonly error?: RecordedError;
}

/** One transaction: the caller's writes, and the completion of a claim with them. */
export interface Commit {
  /** The call's token; makes repeated requests one. */
  readonly token: string;
  /** Absent in a run without protection: the writes alone. */
  readonly outcome?: { readonly claim: Claim; readonly completion: Completion };
  /** At most {@link MAX_DEFERRED_WRITES}, in the form of DynamoDB's `TransactWriteItems`. */
  readonly writes: readonly TransactWrite[];
}

/** DynamoDB takes 100 items in a transaction; one of them is the record. */
export const MAX_DEFERRED_WRITES = 99;

/** One item of DynamoDB's `TransactWriteItems`: exactly one of the four. */
export interface TransactWrite {
  readonly Put?: object | undefined;
  readonly Update?: object | undefined;
  readonly Delete?: object | undefined;
  readonly ConditionCheck?: object | undefined;
}

/** A result as a store keeps it: text, or bytes. */
export type EncodedResult = string | Uint8Array;

/** `too-large`: over the store's item limit. `not-encodable`: the codec could not encode it. */
export type ResultOmittedReason = 'too-large' | 'not-encodable';

/** What a recorded error keeps: no stack, no other properties. */
export interface RecordedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly statusCode?: number;
}

/** A record as a store returns it. */
export interface IdempotencyRecord {
  readonly id: string;
  readonly status: RecordStatus;
  /** When the claim lapses; only meaningful while in progress. */
  readonly inProgressUntilMs?: number;
  /**
   * The first moment after which a claim under `onExpiredClaim: 'run'` replaces this record, the
   * store's clock skew included: the earlier of the claim's end (in-progress records) and
   * `expiresAtMs`, plus the skew. A claim at time t replaces it if and only if `takeoverAtMs < t`.
   * Absent when nothing but an operator ever ends it.
   */
  readonly takeoverAtMs?: number;
  readonly expiresAtMs?: number;
  readonly result?: EncodedResult;
  readonly encoding?: string;
  readonly resultOmitted?: ResultOmittedReason;
  readonly claimToken?: string;
  readonly fingerprint?: string;
  readonly completedAtMs?: number;
  readonly error?: RecordedError;
}

/** Options of {@link IdempotencyStore.forget}. */
export interface ForgetOptions {
  /** Remove a live in-progress record too: its owner then ends with `IdempotencyClaimLostError`. */
  readonly force?: boolean;
  /** The moment to judge liveness at, for tests. Default: the current time. */
  readonly nowMs?: number;
}
