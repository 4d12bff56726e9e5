import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isIdempotencyClaimLostError } from '../../errors/guards.js';
import type { Awaitable } from '../../results/result-codec.js';
import type {
  Claim,
  ClaimRequest,
  Completion,
  IdempotencyRecord,
  IdempotencyStore,
} from '../../store/idempotency-store.js';
import { secondsToMs } from '../../time/duration.js';
import { runnerOf, type StoreHarness, type StoreUnderTest } from '../store-harness.js';

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_MS = 365 * DAY_MS;

/** Claims made at the same moment, in the tests about races. */
export const CONTENDERS = 20;

/** Registers one test, which gets a bench with a store of its own. */
export type ContractTest = (title: string, body: (bench: Bench) => Promise<void>) => void;

/** A group of tests: what it is given to register them with. */
export interface ContractGroup {
  readonly test: ContractTest;
  /** As {@link test}, left out where the harness cannot seed records. */
  readonly seededTest: ContractTest;
  /** As {@link test}, on a store that cannot reach its back end; left out without one. */
  readonly unavailableTest: ContractTest;
  /** As {@link test}, on a store that never gets an answer; left out without one. */
  readonly unresponsiveTest: ContractTest;
}

export function contractGroup<S extends IdempotencyStore>(harness: StoreHarness<S>): ContractGroup {
  const runner = runnerOf(harness);
  const testOn =
    (create: (() => Awaitable<StoreUnderTest<S>>) | undefined): ContractTest =>
    (title, body) => {
      if (create === undefined) return;
      runner.it(title, async () => {
        const underTest = await create.call(harness);
        try {
          await body(new Bench(underTest.store, harness));
        } finally {
          await underTest.dispose?.();
        }
      });
    };
  return {
    test: testOn(harness.create),
    seededTest: testOn(harness.seed && harness.create),
    unavailableTest: testOn(harness.createUnavailable),
    unresponsiveTest: testOn(harness.createUnresponsive),
  };
}

/** One test's store, times and ids, and the steps that tests share. */
export class Bench {
  /**
   * The time of the test. A day ahead of the real one, so that no database's own sweeping of
   * expired records meets the test's; off the full second, so that rounding shows.
   */
  readonly nowMs = Math.ceil(Date.now() / SECOND_MS) * SECOND_MS + DAY_MS + 123;
  /** A fresh id. */
  readonly id = freshId();
  readonly skewMs: number;
  readonly #granularityMs: number;

  constructor(
    readonly store: IdempotencyStore,
    private readonly harness: StoreHarness,
  ) {
    this.skewMs = secondsToMs(harness.clockSkewSeconds ?? 0);
    this.#granularityMs = harness.expiryGranularityMs ?? SECOND_MS;
  }

  /** A claim of {@link id} by a fresh token: a lease of one minute, a ttl of one hour. */
  request(overrides: Partial<ClaimRequest> = {}): ClaimRequest {
    const nowMs = overrides.nowMs ?? this.nowMs;
    return {
      id: this.id,
      token: freshToken(),
      nowMs,
      ttlMs: HOUR_MS,
      inProgressUntilMs: nowMs + MINUTE_MS,
      onExpiredClaim: 'run',
      ...overrides,
    };
  }

  /** Claims and expects to get the claim. */
  async claim(overrides: Partial<ClaimRequest> = {}): Promise<Claim> {
    const outcome = await this.store.claim(this.request(overrides));
    if (!outcome.claimed) assert.fail('Expected the claim to be made; it was refused');
    return outcome.claim;
  }

  /** Claims and expects to be refused; resolves to the record that stands in the way. */
  async refusedBy(overrides: Partial<ClaimRequest> = {}): Promise<IdempotencyRecord> {
    const outcome = await this.store.claim(this.request(overrides));
    if (outcome.claimed) assert.fail('Expected the claim to be refused; it was made');
    if (outcome.record === undefined) assert.fail('Expected the record in the way; none came back');
    return outcome.record;
  }

  completion(overrides: Partial<Completion> = {}): Completion {
    return {
      status: 'COMPLETED',
      nowMs: this.nowMs + SECOND_MS,
      ttlMs: HOUR_MS,
      result: '{"status":"placed"}',
      ...overrides,
    };
  }

  /** Claims and completes; resolves to the claim. */
  async claimAndComplete(overrides: Partial<Completion> = {}): Promise<Claim> {
    const claim = await this.claim();
    await this.store.complete(claim, this.completion(overrides));
    return claim;
  }

  /** The record as it is now; a missing one fails the test. */
  async record(id: string = this.id): Promise<IdempotencyRecord> {
    const record = await this.store.get(id);
    if (record === undefined) assert.fail('Expected a record; there is none');
    return record;
  }

  /** The last moment at which the record refuses claims. */
  async takeoverAtMs(): Promise<number> {
    const { takeoverAtMs } = await this.record();
    if (takeoverAtMs === undefined) assert.fail('Expected the record to end by itself');
    return takeoverAtMs;
  }

  async seed(record: Partial<IdempotencyRecord>): Promise<void> {
    await this.harness.seed?.(this.store, { id: this.id, status: 'INPROGRESS', ...record });
  }

  /** Runs `action` and expects the record, or its absence, to be the same afterwards. */
  async expectUnchanged(action: () => Promise<unknown>): Promise<void> {
    const before = await this.store.get(this.id);
    await action();
    assert.deepEqual(await this.store.get(this.id), before, 'The record changed');
  }

  /** Expects `expiresAtMs` to be what was asked for, rounded up at most. */
  expectExpiry(actualMs: number | undefined, askedMs: number): void {
    if (actualMs === undefined) assert.fail('Expected an `expiresAtMs`; there is none');
    assert.ok(
      actualMs >= askedMs && actualMs < askedMs + this.#granularityMs,
      `Expected \`expiresAtMs\` to be ${String(askedMs)}, less than ${String(this.#granularityMs)} ms later at most; got ${String(actualMs)}`,
    );
  }

  /** Expects that no live claim can lapse or be swept through its ttl. */
  async expectCovered(): Promise<void> {
    const { expiresAtMs, inProgressUntilMs } = await this.record();
    if (expiresAtMs === undefined) assert.fail('Expected an `expiresAtMs`; there is none');
    if (inProgressUntilMs === undefined) assert.fail('Expected an `inProgressUntilMs`');
    const leastMs = inProgressUntilMs + this.skewMs;
    assert.ok(
      expiresAtMs >= leastMs,
      `Expected \`expiresAtMs\` to be at least ${String(leastMs)} (the claim's end plus the clock skew); got ${String(expiresAtMs)}`,
    );
  }
}

/** Expects a rejection with `IdempotencyClaimLostError`, judged by its code. */
export async function expectLost(promise: Promise<unknown>): Promise<void> {
  await assert.rejects(
    promise,
    (error) => {
      if (isIdempotencyClaimLostError(error)) return true;
      throw error;
    },
    'Expected an IdempotencyClaimLostError',
  );
}

export function freshToken(): string {
  return randomBytes(16).toString('hex');
}

/** An id that no other test and no other run uses, ending in `suffix`. */
export function freshId(suffix = ''): string {
  return `contract-${randomBytes(9).toString('hex')}${suffix}`;
}
