import {
  isIdempotencyClaimLostError,
  isIdempotencyExpiredClaimError,
  isIdempotencyStoreError,
} from '../../../lib/errors/index.js';
import type { CallOutcome } from '../../../lib/execution/answer.js';
import { RecordStatus } from '../../../lib/store/idempotency-store.js';
import type { Caller, CallerObserver, Settled } from './caller.js';
import type { Network } from './network.js';
import type { TableAudit } from './table-audit.js';
import type { World } from './world.js';

/** Judges what callers do and get, by what the table said and no word of the engine. */
export class CallerAudit implements CallerObserver {
  readonly #world: World;
  readonly #table: TableAudit;
  readonly #network: Network;
  readonly #callers: ReadonlyMap<string, Caller>;
  readonly #clockSkewMs: number;

  constructor(
    world: World,
    table: TableAudit,
    network: Network,
    callers: ReadonlyMap<string, Caller>,
    clockSkewMs: number,
  ) {
    this.#world = world;
    this.#table = table;
    this.#network = network;
    this.#callers = callers;
    this.#clockSkewMs = clockSkewMs;
  }

  bodyStarts(caller: Caller): void {
    const { name, plan } = caller;
    this.#world.step++;
    this.#world.tell(`${name}'s method starts`);
    if (plan.onStoreUnavailable === 'run' && caller.lastAnswerFailed) {
      caller.unprotected = true;
      this.#world.count('run without a claim');
      return;
    }
    this.#world.count('run');
    const record = this.#table.record;
    if (record?.claimToken !== name || record.status !== RecordStatus.IN_PROGRESS) {
      this.#world.break(`${name}'s method started without a claim`);
    } else if (!this.#isLive(caller)) {
      this.#world.break(`${name}'s method started on a lapsed claim`);
    }
  }

  /** At most one method runs under a claim that has not lapsed, by its own process's clock. */
  checkOwners(): void {
    let owner: Caller | undefined;
    for (const caller of this.#callers.values()) {
      if (caller.body !== 'running' || caller.process.crashed || caller.unprotected) continue;
      if (!this.#isLive(caller)) continue;
      if (owner !== undefined) {
        this.#world.break(`${owner.name} and ${caller.name} run at once, both under a live claim`);
      }
      owner = caller;
    }
  }

  settled(caller: Caller, settled: Settled): void {
    this.#world.step++;
    this.#world.tell(`${caller.name} ${describe(settled)}`);
    const complaint =
      settled.kind === 'resolved'
        ? this.#judgeOutcome(caller, settled.outcome)
        : this.#judgeError(caller, settled.error);
    if (complaint !== undefined) this.#world.break(`${caller.name} ${complaint}`);
    this.#judgeLeavings(caller);
  }

  /** A claim outlives its call only where a request came to grief that would have ended it. */
  #judgeLeavings({ name, plan, body, mishaps }: Caller): void {
    const record = this.#table.record;
    if (record?.status !== RecordStatus.IN_PROGRESS || record.claimToken !== name) return;
    const isToBeRecorded =
      (body === 'returned' && plan.ending === 'returns') ||
      (body === 'threw' && plan.ending === 'throws-for-good');
    if (mishaps === 0) {
      this.#world.break(`${name} left its claim behind and nothing had gone wrong`);
    } else if (!isToBeRecorded && !this.#isExcused(name)) {
      this.#world.break(`${name} left its claim behind and did not try to release it`);
    }
  }

  /** It asked for the release, or could not know of the claim. */
  #isExcused(name: string): boolean {
    return this.#network.released.has(name) || this.#network.claimedLate.has(name);
  }

  #isLive({ name, process }: Caller): boolean {
    return process.clock.now() <= (this.#table.grantedUntilMs.get(name) ?? -Infinity);
  }

  #judgeOutcome(caller: Caller, outcome: CallOutcome): string | undefined {
    this.#world.count(outcome.status);
    switch (outcome.status) {
      case 'executed':
        return this.#judgeExecuted(caller, outcome.result);
      case 'replayed': {
        if (caller.body !== 'none') return 'ran and got a replay';
        const recorded = this.#isRecorded(caller, RecordStatus.COMPLETED, outcome.result);
        return recorded ? undefined : 'got a result that nobody recorded';
      }
      case 'in-progress': {
        if (caller.body !== 'none') return 'ran and was told that another call runs';
        return this.#sawAnother(caller) ? undefined : 'was told of a running call where none was';
      }
    }
  }

  #judgeExecuted(caller: Caller, result: unknown): string | undefined {
    const { plan } = caller;
    if (caller.body !== 'returned') return 'got a result although its method did not return';
    if (result !== caller.result) return 'got another result than that of its own run';
    if (caller.unprotected || plan.ending === 'returns-for-retry') return undefined;
    if (caller.toldLost) return 'got its result although its claim was lost';
    const recorded = this.#isRecorded(caller, RecordStatus.COMPLETED, result);
    if (recorded || (caller.mishaps > 0 && plan.onCompletionFailure === 'return')) return undefined;
    return 'got a result that was not recorded';
  }

  #judgeError(caller: Caller, error: unknown): string | undefined {
    const { name, plan } = caller;
    if (caller.body === 'threw') {
      this.#world.count('threw');
      return error === caller.error ? undefined : 'got another error than its method threw';
    }
    if (isIdempotencyClaimLostError(error)) {
      this.#world.count('claim lost');
      if (caller.body !== 'returned' || error.result !== caller.result) {
        return 'was told of a lost claim without its result';
      }
      return this.#table.lost.has(name) ? undefined : 'was told of a lost claim that it still had';
    }
    if (caller.body === 'returned') {
      const isTold = isIdempotencyStoreError(error) && error.operation === 'complete';
      return isTold && plan.onCompletionFailure === 'throw' && error.result === caller.result
        ? undefined
        : 'got an error although its method returned';
    }
    if (isIdempotencyStoreError(error)) {
      this.#world.count('store error');
      return caller.mishaps > 0 ? undefined : 'got a store error where the store did not fail';
    }
    if (isIdempotencyExpiredClaimError(error)) {
      this.#world.count('expired claim');
      return plan.onExpiredClaim === 'reject' && this.#sawExpiredClaim(caller)
        ? undefined
        : 'was refused by an expired claim that was none';
    }
    const message = error instanceof Error ? error.message : undefined;
    if (this.#isRecorded(caller, RecordStatus.FAILED, message)) {
      this.#world.count('error replayed');
      return undefined;
    }
    return `got an error that nobody expects: ${String(error)}`;
  }

  /** Whether the call may have met another one: in the table, or in its own process. */
  #sawAnother(caller: Caller): boolean {
    const seen = this.#table.since(caller.startStep);
    if (seen.some(({ record }) => record.status === RecordStatus.IN_PROGRESS)) return true;
    return [...this.#callers.values()].some(
      (other) =>
        other !== caller &&
        other.process === caller.process &&
        other.state !== 'idle' &&
        other.endStep >= caller.startStep,
    );
  }

  /** Whether a claim stood that was over by the fastest clock. */
  #sawExpiredClaim(caller: Caller): boolean {
    return this.#table.since(caller.startStep).some(({ record, toMs }) => {
      const latestMs = Math.min(toMs, this.#world.nowMs) + this.#clockSkewMs;
      const isClaim = record.status === RecordStatus.IN_PROGRESS;
      return isClaim && (record.takeoverAtMs ?? Infinity) < latestMs;
    });
  }

  /** Whether a record with this result, or error message, stood while the call went on. */
  #isRecorded(caller: Caller, status: RecordStatus, what: unknown): boolean {
    return this.#table.since(caller.startStep).some(({ record }) => {
      if (record.status !== status) return false;
      const kept: unknown =
        status === RecordStatus.FAILED
          ? record.error?.message
          : typeof record.result === 'string' && JSON.parse(record.result);
      return kept === what;
    });
  }
}

function describe(settled: Settled): string {
  if (settled.kind === 'rejected') return `rejects with ${String(settled.error)}`;
  const { outcome } = settled;
  return outcome.status === 'in-progress'
    ? 'is told that another call runs'
    : `resolves, ${outcome.status}: ${String(outcome.result)}`;
}
