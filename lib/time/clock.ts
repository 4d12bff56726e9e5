/**
 * The one source of time in this package. Every comparison, lease, renewal and pause goes through
 * it, so a test that injects its own clock decides when anything happens.
 *
 * @example
 * ```ts
 * configureIdempotency({ clock: manualClock() }); // from mayfly-idempotency/testing
 * ```
 */
export interface Clock {
  /** The current time in milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Calls `callback` once, `delayMs` milliseconds from now, unless it is cancelled before.
   * Whatever `callback` throws is the caller's mistake: callbacks given here never throw.
   */
  setTimer(callback: () => void, delayMs: number): Timer;
}

/** A pending call of {@link Clock.setTimer}. */
export interface Timer {
  /** Prevents the call; harmless when it already happened. */
  cancel(): void;
  /** Lets the process exit although the timer is pending. */
  unref(): void;
}

/** Node's timers take no longer delay; given one, they fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** The system's clock and timers. The default everywhere. No timer waits longer than 24 days. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(callback, delayMs) {
    const timeout = setTimeout(callback, Math.min(delayMs, MAX_DELAY_MS));
    // Functions of their own rather than methods: a clock of somebody's may take apart what it wraps.
    return {
      cancel: () => {
        clearTimeout(timeout);
      },
      unref: () => {
        timeout.unref();
      },
    };
  },
};

/** Resolves after `delayMs`; a pause that somebody awaits keeps the process alive. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(resolve, delayMs);
  });
}

/** Settles as `promise` does, or rejects after `limitMs`; the promise itself goes on unheard. */
export function within<T>(promise: Promise<T>, limitMs: number, clock: Clock): Promise<T> {
  return settlesBefore(promise, limitMs, clock, {
    expire(reject) {
      reject(new DOMException(`No answer within ${String(limitMs)} ms`, 'TimeoutError'));
    },
  });
}

/** What is to settle in time. */
export interface Expiring {
  /** Time is up: rejects for those who wait, and ends what goes on. */
  expire(reject: (error: Error) => void): void;
}

/** Settles as `promise` does, or after `limitMs` as `expiring` decides. */
export function settlesBefore<T>(
  promise: Promise<T>,
  limitMs: number,
  clock: Clock,
  expiring: Expiring,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => {
      expiring.expire(reject);
    }, limitMs);
    promise.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on
        reject(error);
      },
    );
  });
}
