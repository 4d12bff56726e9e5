import { processState } from '../../../lib/configuration/process-state.js';
import { isIdempotencyClaimLostError } from '../../../lib/errors/index.js';
import type { ClaimOutcome, IdempotencyStore } from '../../../lib/store/idempotency-store.js';
import { MemoryStore, type MemoryStoreOptions } from '../../../lib/store/memory-store.js';
import { msToSeconds } from '../../../lib/time/duration.js';
import { connectionLost } from '../../support/intercepted-store.js';
import { CallerAudit } from './caller-audit.js';
import { Caller, METHOD } from './caller.js';
import { Network, NetworkStore, type Operation, type Reply } from './network.js';
import { PROCESSES, type CallerPlan, type Plan } from './plan.js';
import { TableAudit } from './table-audit.js';
import { ModelProcess, World } from './world.js';

/** What a planted fault puts in the place of a sound part. */
export interface Parts {
  /** The table. */
  readonly table?: (options: MemoryStoreOptions) => MemoryStore;
  /** What stands between the engine and the network. */
  readonly store?: (store: NetworkStore) => IdempotencyStore;
}

/** After this the engine waits no longer for the writes of an outcome. */
const PATIENCE_MS = 10_000;

const NAMES = ['A', 'B', 'C', 'D'] as const;

/** Whoever comes when all is over. */
const LATECOMER: CallerPlan = {
  startsAfter: 0,
  process: 0,
  leaseMs: 60_000,
  remainingMs: undefined,
  renewForMs: 3_600_000,
  ttlMs: 60_000,
  waitMs: 0,
  onExpiredClaim: 'run',
  onStoreUnavailable: 'throw',
  onCompletionFailure: 'throw',
  pauses: 0,
  ending: 'returns',
};

/** One interleaving while it is played. */
export class Interleaving {
  readonly world = new World();
  readonly network = new Network();
  readonly processes: readonly ModelProcess[];
  readonly callers = new Map<string, Caller>();
  readonly table: TableAudit;
  readonly plan: Plan;
  readonly #audit: CallerAudit;
  readonly #parts: Parts;

  constructor(plan: Plan, parts: Parts = {}) {
    this.plan = plan;
    this.#parts = parts;
    // The one warning that interleavings give is about what they do on purpose.
    processState.warnings.add(`completion-failed:${METHOD}`);
    const clockSkew = msToSeconds(plan.clockSkewMs);
    const table = (parts.table ?? ((options) => new MemoryStore(options)))({ clockSkew });
    this.table = new TableAudit(table, this.world, this.callers);
    this.#audit = new CallerAudit(
      this.world,
      this.table,
      this.network,
      this.callers,
      plan.clockSkewMs,
    );
    const stores: IdempotencyStore[] = [];
    this.processes = Array.from({ length: PROCESSES }, (_, index) => {
      const process = new ModelProcess(`process ${String(index)}`, this.world);
      stores.push(this.#storeOf(process));
      return process;
    });
    plan.callers.forEach((callerPlan, index) => {
      this.#add(NAMES[index] ?? 'E', callerPlan, this.processes, stores);
    });
  }

  /** Somebody who comes when all is over, on a network without faults and the fastest clock. */
  addLatecomer(): Caller {
    const process = new ModelProcess('process Z', this.world);
    process.offsetMs = this.plan.clockSkewMs;
    return this.#add('Z', LATECOMER, [process], [this.#storeOf(process)]);
  }

  start(caller: Caller): void {
    this.world.tell(`${caller.name} calls, in ${caller.process.name}`);
    caller.start();
  }

  fire(process: ModelProcess): void {
    this.world.tell(`a timer of ${process.name} fires`);
    process.fire();
  }

  crash(process: ModelProcess): void {
    this.world.tell(`${process.name} crashes`);
    this.world.count('crashed');
    process.crash();
    this.network.crash(process);
  }

  advanceTo(nowMs: number): void {
    this.world.nowMs = nowMs;
    for (const operation of this.network.awaited) {
      if (operation.overdue === true || nowMs - operation.sentMs < PATIENCE_MS) continue;
      operation.overdue = true;
      this.#mishap(operation);
    }
  }

  correctClock(process: ModelProcess, offsetMs: number): void {
    this.world.tell(`the clock of ${process.name} is ${String(offsetMs)} ms ahead now`);
    process.offsetMs = offsetMs;
  }

  /** The request reaches the table; its reply is on the way. */
  async apply(operation: Operation): Promise<void> {
    this.#tell(operation, 'is applied');
    operation.reply = await this.table.apply(operation);
  }

  /** The reply arrives. */
  answer(operation: Operation): void {
    const { reply } = operation;
    if (reply === undefined) return;
    this.#tell(operation, 'is answered');
    this.network.forget(operation);
    const caller = this.callers.get(operation.token ?? '');
    if (caller !== undefined) {
      caller.lastAnswerFailed = !reply.ok;
      caller.toldLost ||= isLost(reply) && operation.kind === 'complete' && !operation.overdue;
    }
    if (reply.ok) operation.resolve(reply.value);
    else operation.reject(reply.error);
  }

  /** What a refused claim is told was read later, as from an engine that returns no item. */
  async answerAfresh(operation: Operation): Promise<void> {
    const { kind, reply } = operation;
    if (kind === 'claim' && reply?.ok === true && !(reply.value as ClaimOutcome).claimed) {
      const afresh: ClaimOutcome = { claimed: false, record: this.table.record };
      operation.reply = { ok: true, value: afresh };
    }
    this.answer(operation);
  }

  /** The caller hears of a failure; whether the request was applied is another matter. */
  fail(operation: Operation, how: string, error: unknown = connectionLost()): void {
    this.#tell(operation, how);
    this.network.forget(operation);
    this.#mishap(operation);
    const caller = this.callers.get(operation.token ?? '');
    if (caller !== undefined) caller.lastAnswerFailed = true;
    operation.reject(error);
  }

  /** Nobody waits for this request any more, or it was sent twice: it may land at any time. */
  setAdrift(operation: Operation): void {
    const copy = { ...operation, resolve: ignore, reject: ignore };
    this.network.adrift.push(copy);
    this.#mishap(operation);
  }

  async land(operation: Operation): Promise<void> {
    this.network.adrift.splice(this.network.adrift.indexOf(operation), 1);
    this.world.count('landed late');
    const { kind, token } = operation;
    if (kind === 'claim' && token !== undefined) this.network.claimedLate.add(token);
    this.#tell(operation, 'lands late');
    await this.table.apply(operation);
  }

  vanish(operation: Operation): void {
    this.network.adrift.splice(this.network.adrift.indexOf(operation), 1);
  }

  /** Lets everything happen that follows from the last step, then holds it to the invariants. */
  async settle(): Promise<void> {
    await promiseJobs();
    this.#audit.checkOwners();
    this.world.check();
  }

  #mishap(operation: Operation): void {
    this.world.count(`mishap of ${operation.kind}`);
    for (const caller of this.callers.values()) {
      const concerns =
        operation.token === undefined
          ? caller.process === operation.from
          : caller.name === operation.token;
      if (concerns) caller.mishaps++;
    }
  }

  #storeOf(process: ModelProcess): IdempotencyStore {
    const store = new NetworkStore(this.network, process, this.world);
    return this.#parts.store?.(store) ?? store;
  }

  #add(
    name: string,
    plan: CallerPlan,
    processes: readonly ModelProcess[],
    stores: readonly IdempotencyStore[],
  ): Caller {
    const process = processes[plan.process];
    const store = stores[plan.process];
    if (process === undefined || store === undefined) throw new RangeError('No such process');
    const caller = new Caller(name, plan, process, store, this.world, this.#audit);
    this.callers.set(name, caller);
    return caller;
  }

  #tell({ kind, token, from }: Operation, what: string): void {
    this.world.step++;
    this.world.tell(`${token ?? from.name}: ${kind} ${what}`);
  }
}

function isLost(reply: Reply): boolean {
  return !reply.ok && isIdempotencyClaimLostError(reply.error);
}

function ignore(): void {
  // The reply of a request that nobody waits for.
}

/** Resolves once no promise job is left: ticks come after them, and cost no turn of the event loop. */
function promiseJobs(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(resolve);
  });
}
