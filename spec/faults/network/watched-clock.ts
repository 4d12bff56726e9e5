import { manualClock, type ManualClock } from '../../../lib/testing/manual-clock.js';
import type { Clock } from '../../../lib/time/clock.js';

/** A clock for the code under test, and the means to let its time pass from timer to timer. */
export class WatchedClock implements Clock {
  readonly #clock: ManualClock = manualClock();
  readonly #dueTimes = new Set<{ readonly dueMs: number }>();

  now(): number {
    return this.#clock.now();
  }

  setTimer(callback: () => void, delayMs: number): ReturnType<Clock['setTimer']> {
    const entry = { dueMs: this.now() + Math.max(1, delayMs) };
    this.#dueTimes.add(entry);
    const timer = this.#clock.setTimer(() => {
      this.#dueTimes.delete(entry);
      callback();
    }, delayMs);
    return {
      cancel: () => {
        this.#dueTimes.delete(entry);
        timer.cancel();
      },
      unref: () => {
        timer.unref();
      },
    };
  }

  get pendingTimers(): number {
    return this.#dueTimes.size;
  }

  /** When the next timer is due; `Infinity` where none is pending. */
  get nextDueMs(): number {
    return Math.min(...[...this.#dueTimes].map(({ dueMs }) => dueMs));
  }

  /** Lets time pass until `untilMs`. */
  async advanceTo(untilMs: number): Promise<void> {
    await this.#clock.advance(Math.max(0, untilMs - this.now()));
  }
}
