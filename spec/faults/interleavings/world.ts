import type { Clock, Timer } from '../../../lib/time/clock.js';

/** Later than any real clock. */
const START_MS = Date.UTC(2030, 0, 1);

/** An invariant that an interleaving broke; the message tells what happened up to there. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
  readonly invariant: string;

  constructor(invariant: string, trace: readonly string[]) {
    super(`${invariant}\n${trace.map((line) => `    ${line}`).join('\n')}`);
    this.invariant = invariant;
  }
}

/** True time, what happened, and the first thing that must not have. */
export class World {
  nowMs = START_MS;
  /** Counts what happened; orders things within one moment. */
  step = 0;
  /** How often what happened, to show that the interleavings reach it. */
  readonly tally = new Map<string, number>();
  readonly #trace: string[] = [];
  #broken: string | undefined;

  tell(line: string): void {
    this.#trace.push(`${String(this.nowMs - START_MS).padStart(6)} ms  ${line}`);
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  /** Found inside the engine's own calls, where throwing would only be another failure to it. */
  break(invariant: string): void {
    this.#broken ??= invariant;
  }

  /** @throws InvariantBroken once an invariant is broken. */
  check(): void {
    if (this.#broken !== undefined) throw new InvariantBroken(this.#broken, this.#trace);
  }
}

interface PendingTimer {
  readonly callback: () => void;
  readonly dueMs: number;
}

/** A process: its clock, its timers, and whether it is still there. */
export class ModelProcess {
  readonly name: string;
  /** How far its clock is ahead of true time; from 0 to the clock skew, so that any two agree. */
  offsetMs = 0;
  crashed = false;
  readonly clock: Clock;
  readonly #timers = new Set<PendingTimer>();

  constructor(name: string, world: World) {
    this.name = name;
    this.clock = {
      now: () => world.nowMs + this.offsetMs,
      setTimer: (callback, delayMs): Timer => {
        const timer = { callback, dueMs: world.nowMs + Math.max(1, delayMs) };
        this.#timers.add(timer);
        return {
          cancel: () => {
            this.#timers.delete(timer);
          },
          unref: () => undefined,
        };
      },
    };
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** When the next timer falls due; Infinity without one. */
  get nextDueMs(): number {
    return this.#next()?.dueMs ?? Infinity;
  }

  /** Fires the timer that fell due first. A busy or frozen process may come to that late. */
  fire(): void {
    const timer = this.#next();
    if (timer === undefined) return;
    this.#timers.delete(timer);
    timer.callback();
  }

  /** Nothing of it goes on: no timer fires, and whoever schedules answers none of its promises. */
  crash(): void {
    this.crashed = true;
    this.#timers.clear();
  }

  #next(): PendingTimer | undefined {
    let next: PendingTimer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.dueMs < next.dueMs) next = timer;
    }
    return next;
  }
}
