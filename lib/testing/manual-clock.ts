import { setImmediate } from 'node:timers/promises';
import type { Clock, Timer } from '../time/clock.js';

/** A clock that stands still until a test moves it. See {@link manualClock}. */
export interface ManualClock extends Clock {
  /** Timers that have neither fired nor been cancelled. */
  readonly pendingTimers: number;
  /** Those of {@link pendingTimers} that would keep a process alive: the ones not unref'd. */
  readonly referencedTimers: number;
  /**
   * Lets `ms` milliseconds pass: fires the timers that fall due in their order, each at its own
   * moment, and lets promise jobs run before, between and after them. Once it resolves, everything
   * has happened that needs nothing but time and promises. `advance(0)` only lets promise jobs run.
   */
  advance(ms: number): Promise<void>;
  /**
   * Sets the time of day to `epochMs`, forwards or backwards, as a clock is corrected by the
   * network: no time passes, and timers keep the delay they have left.
   */
  set(epochMs: number): void;
}

interface PendingTimer {
  readonly callback: () => void;
  readonly dueMs: number;
  referenced: boolean;
}

const DEFAULT_START_MS = Date.UTC(2030, 0, 1);

/**
 * A clock for tests: time passes only by {@link ManualClock.advance}, so leases, renewals and
 * pauses end exactly when the test says so, and no test waits.
 *
 * As with Node's timers, a delay below 1 ms counts as 1 ms.
 *
 * @param startMs The time it starts at, in milliseconds since the Unix epoch. Default: the beginning
 * of 2030 (UTC), later than any real clock it may meet, so that no database sweeps test records.
 *
 * @example
 * ```ts
 * const clock = manualClock();
 * const restore = configureIdempotency({ clock, store: new MemoryStore({ clock }) });
 * const call = orders.place(event);
 * await clock.advance(20_000); // a third of the default lease: the claim has been renewed
 * ```
 */
export function manualClock(startMs: number = DEFAULT_START_MS): ManualClock {
  checkFinite('startMs', startMs);
  let epochMs = startMs;
  // Timers go by the time passed, not by the time of day, which `set` may move.
  let passedMs = 0;
  const pending = new Set<PendingTimer>();

  function pass(toMs: number): void {
    epochMs += toMs - passedMs;
    passedMs = toMs;
  }

  /** The timer that falls due first; of several at the same moment the one set first. */
  function nextDue(byMs: number): PendingTimer | undefined {
    let next: PendingTimer | undefined;
    for (const timer of pending) {
      if (timer.dueMs <= byMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }

  return {
    now: () => epochMs,
    setTimer(callback, delayMs): Timer {
      const dueMs = passedMs + (delayMs >= 1 ? delayMs : 1);
      const timer: PendingTimer = { callback, dueMs, referenced: true };
      pending.add(timer);
      return {
        cancel: () => {
          pending.delete(timer);
        },
        unref: () => {
          timer.referenced = false;
        },
      };
    },
    get pendingTimers() {
      return pending.size;
    },
    get referencedTimers() {
      return [...pending].filter((timer) => timer.referenced).length;
    },
    async advance(ms) {
      checkFinite('ms', ms);
      if (ms < 0) {
        throw new RangeError(`Expected \`ms\` to be 0 or more, got ${String(ms)} (advance)`);
      }
      const untilMs = passedMs + ms;
      await setImmediate();
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        pending.delete(timer);
        pass(Math.max(passedMs, timer.dueMs));
        timer.callback();
        await setImmediate();
      }
      pass(Math.max(passedMs, untilMs));
      await setImmediate();
    },
    set(toMs) {
      checkFinite('epochMs', toMs);
      epochMs = toMs;
    },
  };
}

function checkFinite(name: string, value: unknown): void {
  if (!Number.isFinite(value)) {
    throw new TypeError(
      `Expected \`${name}\` to be a finite number of milliseconds, got ${String(value)} (manualClock)`,
    );
  }
}
