import { RecordStatus, type IdempotencyRecord } from '../../../lib/store/idempotency-store.js';
import type { MemoryStore } from '../../../lib/store/memory-store.js';
import type { Caller } from './caller.js';
import type { Operation, Reply } from './network.js';
import type { World } from './world.js';

/** A record as it stood in the table, and until when: Infinity for the present one. */
export interface Span {
  readonly record: IdempotencyRecord;
  toStep: number;
  toMs: number;
}

/** Applies requests to the table and judges each change of the record: who made it, and when. */
export class TableAudit {
  /** Every state of the record, the latest one last. */
  readonly spans: Span[] = [];
  /** The latest end that the table granted to a token. */
  readonly grantedUntilMs = new Map<string, number>();
  /** Tokens whose record somebody else replaced. */
  readonly lost = new Set<string>();
  readonly #table: MemoryStore;
  readonly #world: World;
  readonly #callers: ReadonlyMap<string, Caller>;

  constructor(table: MemoryStore, world: World, callers: ReadonlyMap<string, Caller>) {
    this.#table = table;
    this.#world = world;
    this.#callers = callers;
  }

  /** The record as it stands. */
  get record(): IdempotencyRecord | undefined {
    for (const record of this.#table.records()) return record;
    return undefined;
  }

  /** Applies a request: nothing else happens meanwhile. */
  async apply(operation: Operation): Promise<Reply> {
    const before = this.record;
    let reply: Reply;
    try {
      reply = { ok: true, value: await operation.apply(this.#table) };
    } catch (error) {
      reply = { ok: false, error };
    }
    const after = this.record;
    if (!isSame(before, after)) {
      this.#world.step++;
      this.#world.tell(`  table: ${describe(after)}`);
      this.#judge(before, after, operation);
      this.#keep(after);
    }
    return reply;
  }

  /** States of the record that stood at any time since a step. */
  since(step: number): readonly Span[] {
    return this.spans.filter((span) => span.toStep >= step);
  }

  #keep(after: IdempotencyRecord | undefined): void {
    const last = this.spans.at(-1);
    if (last?.toStep === Infinity) {
      last.toStep = this.#world.step;
      last.toMs = this.#world.nowMs;
    }
    if (after === undefined) return;
    this.spans.push({ record: after, toStep: Infinity, toMs: Infinity });
    const { claimToken, inProgressUntilMs } = after;
    if (after.status !== RecordStatus.IN_PROGRESS || claimToken === undefined) return;
    const granted = this.grantedUntilMs.get(claimToken) ?? 0;
    this.grantedUntilMs.set(claimToken, Math.max(granted, inProgressUntilMs ?? 0));
  }

  #judge(
    before: IdempotencyRecord | undefined,
    after: IdempotencyRecord | undefined,
    operation: Operation,
  ): void {
    const { kind, token } = operation;
    if (after !== undefined && after.claimToken !== token) {
      this.#world.break(`a ${kind} wrote under a token that is not its own`);
    } else if (before === undefined) {
      if (kind !== 'claim') this.#world.break(`a ${kind} made a record where none was`);
    } else if (before.status !== RecordStatus.IN_PROGRESS) {
      this.#judgeReplaced(before, after, kind);
    } else if (before.claimToken === token) {
      this.#judgeOwn(before, after, operation);
    } else {
      this.#judgeTakenOver(before, operation);
    }
  }

  /** A finished record goes by its own expiry alone, and by all clocks: the slowest one is right. */
  #judgeReplaced(
    before: IdempotencyRecord,
    after: IdempotencyRecord | undefined,
    kind: string,
  ): void {
    if (kind !== 'claim' || after?.status !== RecordStatus.IN_PROGRESS) {
      this.#world.break(`a ${kind} changed a finished record`);
    } else if (this.#world.nowMs <= (before.expiresAtMs ?? Infinity)) {
      this.#world.break('a finished record was replaced before it expired');
    }
    // Whoever repeats its completion only now finds another call's record.
    this.lost.add(before.claimToken ?? '');
    this.#world.count('finished record replaced');
  }

  #judgeOwn(
    before: IdempotencyRecord,
    after: IdempotencyRecord | undefined,
    { kind, token }: Operation,
  ): void {
    if (after === undefined) {
      if (kind !== 'release') this.#world.break(`a ${kind} removed a claim`);
      // A claim of the same call that lands after this is another one, with an end of its own.
      this.grantedUntilMs.delete(token ?? '');
      if (this.#callers.get(token ?? '')?.succeeded === true) {
        this.#world.break('the key of a successful method was released');
      }
    } else if (after.status === RecordStatus.IN_PROGRESS) {
      if ((after.inProgressUntilMs ?? 0) < (before.inProgressUntilMs ?? 0)) {
        this.#world.break('a claim was shortened');
      }
      if (kind === 'renew') this.#world.count('renewed');
    } else if (kind !== 'complete') {
      this.#world.break(`a ${kind} finished a record`);
    }
  }

  #judgeTakenOver(before: IdempotencyRecord, { kind, request }: Operation): void {
    const owner = before.claimToken ?? '';
    const untilMs = this.grantedUntilMs.get(owner) ?? Infinity;
    if (kind !== 'claim') {
      this.#world.break(`a ${kind} changed the claim of another call`);
    } else if (this.#world.nowMs <= untilMs) {
      this.#world.break('a live claim was taken over');
    } else if (request?.onExpiredClaim === 'reject') {
      this.#world.break('an abandoned claim was replaced by a call that rejects');
    }
    this.lost.add(owner);
    this.#world.count('taken over');
  }
}

function isSame(one: IdempotencyRecord | undefined, other: IdempotencyRecord | undefined): boolean {
  return (
    one?.status === other?.status &&
    one?.claimToken === other?.claimToken &&
    one?.inProgressUntilMs === other?.inProgressUntilMs &&
    one?.expiresAtMs === other?.expiresAtMs &&
    one?.completedAtMs === other?.completedAtMs &&
    one?.result === other?.result &&
    one?.error?.message === other?.error?.message
  );
}

function describe(record: IdempotencyRecord | undefined): string {
  if (record === undefined) return 'no record';
  const { status, claimToken, inProgressUntilMs, expiresAtMs } = record;
  const until = status === RecordStatus.IN_PROGRESS ? `, until ${time(inProgressUntilMs)}` : '';
  return `${status} of ${String(claimToken)}${until}, expires ${time(expiresAtMs)}`;
}

function time(ms: number | undefined): string {
  return ms === undefined ? 'never' : new Date(ms).toISOString().slice(11, 23);
}
