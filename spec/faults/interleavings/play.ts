import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { RecordStatus } from '../../../lib/store/idempotency-store.js';
import type { Caller } from './caller.js';
import { Interleaving, type Parts } from './interleaving.js';
import type { Operation } from './network.js';
import type { Plan } from './plan.js';
import type { ModelProcess } from './world.js';

/** How something happens: one byte of chance, 0 being the most harmless way. */
type Happening = (how: number) => Promise<void> | void;

/** More than any ending takes; beyond it somebody waits for ever. */
const MAX_ENDING_STEPS = 500;

/**
 * Plays one interleaving: first as the plan's choices say, then without further faults to its end,
 * then with one more caller after the last claim must have lapsed.
 *
 * @returns How often what happened.
 * @throws InvariantBroken
 */
export async function play(plan: Plan, parts?: Parts): Promise<ReadonlyMap<string, number>> {
  const chance = Math.random;
  Math.random = seeded(plan.jitter);
  try {
    const interleaving = new Interleaving(plan, parts);
    for (const [taken, choice] of plan.choices.entries()) {
      await takeStep(interleaving, choice, taken);
    }
    await playOut(interleaving);
    checkTimers(interleaving);
    await playLatecomer(interleaving);
    return interleaving.world.tally;
  } finally {
    Math.random = chance;
  }
}

async function takeStep(interleaving: Interleaving, choice: number, taken: number): Promise<void> {
  const happenings = possible(interleaving, taken);
  // Time has two places, so that what is due does not always come first; calamities share one.
  const pick = (choice & 0xff) % (happenings.length + 3);
  const how = choice >> 8;
  const happening = happenings[pick];
  if (happening !== undefined) await happening(how);
  else if (pick < happenings.length + 2) passTime(interleaving, how);
  else strike(interleaving, how);
  await interleaving.settle();
}

/** What can happen now, the most harmless first. */
function possible(interleaving: Interleaving, taken: number): readonly Happening[] {
  const { network, callers, processes, world } = interleaving;
  const happenings: Happening[] = [];
  for (const operation of network.awaited) {
    happenings.push((how) =>
      operation.reply === undefined
        ? deliver(interleaving, operation, how)
        : reply(interleaving, operation, how),
    );
  }
  for (const caller of callers.values()) {
    if (caller.isIdle && caller.plan.startsAfter <= taken) {
      happenings.push(() => {
        interleaving.start(caller);
      });
    } else if (caller.isPending && caller.isPaused) {
      happenings.push(() => {
        caller.proceed();
      });
    }
  }
  for (const process of processes) {
    if (process.nextDueMs > world.nowMs) continue;
    happenings.push(() => {
      interleaving.fire(process);
    });
  }
  for (const operation of network.adrift) {
    happenings.push((how) =>
      how < 224 ? interleaving.land(operation) : interleaving.vanish(operation),
    );
  }
  return happenings;
}

/** What becomes of a request. */
async function deliver(
  interleaving: Interleaving,
  operation: Operation,
  how: number,
): Promise<void> {
  if (how < 128) {
    await interleaving.apply(operation);
    interleaving.answer(operation);
  } else if (how < 168) {
    await interleaving.apply(operation); // The reply takes its time.
  } else if (how < 188) {
    await interleaving.apply(operation);
    interleaving.fail(operation, 'loses its reply');
  } else if (how < 202) {
    interleaving.fail(operation, 'is lost');
  } else if (how < 224) {
    interleaving.setAdrift(operation);
    interleaving.fail(operation, 'times out and is under way still');
  } else if (how < 240) {
    await interleaving.apply(operation);
    interleaving.setAdrift(operation);
    interleaving.answer(operation);
  } else {
    const retryable = how < 252;
    const error = new IdempotencyStoreError(retryable ? 'throttled' : 'access denied', {
      operation: operation.kind,
      retryable,
      maybeApplied: false,
    });
    interleaving.fail(operation, `is refused, ${error.reason}`, error);
  }
}

/** What becomes of the reply to a request that was applied. */
async function reply(interleaving: Interleaving, operation: Operation, how: number): Promise<void> {
  if (how < 96) {
    interleaving.answer(operation);
  } else if (how < 176) {
    await interleaving.apply(operation); // The client sends it again, and has the second reply.
    interleaving.answer(operation);
  } else if (how < 224) {
    await interleaving.answerAfresh(operation);
  } else {
    interleaving.fail(operation, 'loses its reply');
  }
}

/** Time passes: to the next timer, a little, a lease or so, or to an edge of the record. */
function passTime(interleaving: Interleaving, how: number): void {
  const { world, table, processes, plan } = interleaving;
  const { nowMs } = world;
  const byMs = how & 0x3f;
  if (how < 96) {
    const dueMs = nextDueMs(processes);
    interleaving.advanceTo(dueMs === Infinity ? nowMs + 100 : Math.max(nowMs, dueMs));
  } else if (how < 168) {
    interleaving.advanceTo(nowMs + 1 + byMs * 5);
  } else if (how < 204) {
    interleaving.advanceTo(nowMs + 500 + byMs * 50);
  } else {
    const { takeoverAtMs } = table.record ?? {};
    // By the fastest clock, at the edge or just beyond.
    const edgeMs = (takeoverAtMs ?? nowMs) - (how & 2 ? plan.clockSkewMs : 0) + (how & 1);
    interleaving.advanceTo(Math.max(nowMs, edgeMs));
  }
}

/** A process crashes, or a clock is corrected, forwards or backwards. */
function strike(interleaving: Interleaving, how: number): void {
  const { processes, plan } = interleaving;
  const process = processes[how % processes.length];
  if (process === undefined || process.crashed) return;
  if (how >= 236) {
    interleaving.crash(process);
  } else if (how >= 64) {
    const offsetMs = Math.round((plan.clockSkewMs * (how - 64)) / (235 - 64));
    interleaving.correctClock(process, offsetMs);
  }
}

/** From here on nothing fails: whatever is under way lands, and everybody gets an answer. */
async function playOut(interleaving: Interleaving): Promise<void> {
  for (let step = 0; step < MAX_ENDING_STEPS; step++) {
    const next = nextOfEnding(interleaving);
    if (next === undefined) return;
    await next();
    await interleaving.settle();
  }
  interleaving.world.break('somebody waits for ever: nothing comes to an end');
  interleaving.world.check();
}

function nextOfEnding(interleaving: Interleaving): (() => Promise<void> | void) | undefined {
  const { network, callers, world } = interleaving;
  const [adrift] = network.adrift;
  if (adrift !== undefined) return () => interleaving.land(adrift);
  const [operation] = network.awaited;
  if (operation !== undefined) {
    return operation.reply === undefined
      ? () => deliver(interleaving, operation, 0)
      : () => reply(interleaving, operation, 0);
  }
  const pending = [...callers.values()].filter((caller) => caller.isPending);
  const paused = pending.find((caller) => caller.isPaused);
  if (paused !== undefined) {
    return () => {
      paused.proceed();
    };
  }
  if (pending.length === 0) {
    const idle = [...callers.values()].find((caller) => caller.isIdle);
    if (idle === undefined) return undefined;
    return () => {
      interleaving.start(idle);
    };
  }
  const processes = pending.map((caller) => caller.process);
  const dueMs = nextDueMs(processes);
  if (dueMs === Infinity) {
    world.break(`${names(pending)} waits for ever: no request, no timer`);
    world.check();
  }
  return () => {
    interleaving.advanceTo(Math.max(world.nowMs, dueMs));
    for (const process of new Set(processes)) {
      if (process.nextDueMs <= world.nowMs) interleaving.fire(process);
    }
  };
}

/** Whoever has its answer leaves no timer behind. */
function checkTimers({ processes, world }: Interleaving): void {
  if (processes.some((process) => process.pendingTimers > 0))
    world.break('a timer was left behind');
  world.check();
}

/** No claim blocks the key for longer than its lease and the clock skew. */
async function playLatecomer(interleaving: Interleaving): Promise<void> {
  const { world, plan, table } = interleaving;
  const leases = plan.callers.map((each) => Math.max(each.leaseMs, each.remainingMs ?? 0));
  interleaving.advanceTo(world.nowMs + Math.max(...leases) + plan.clockSkewMs + 1);
  const found = table.record;
  const latecomer = interleaving.addLatecomer();
  interleaving.start(latecomer);
  await interleaving.settle();
  await playOut(interleaving);
  if (found?.status === RecordStatus.IN_PROGRESS && latecomer.body !== 'returned') {
    world.break('an abandoned claim blocks the key beyond its lease and the clock skew');
  } else if (latecomer.body !== 'returned' && found === undefined) {
    world.break('a free key is refused');
  }
  world.check();
}

function nextDueMs(processes: readonly ModelProcess[]): number {
  return Math.min(...processes.map((process) => process.nextDueMs));
}

function names(callers: readonly Caller[]): string {
  return callers.map((caller) => caller.name).join(', ');
}

/** A small generator (a multiplicative congruential one, modulus 2^31 - 1) of numbers below 1. */
function seeded(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
