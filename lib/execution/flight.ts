import type {
  Completion,
  IdempotencyRecord,
  IdempotencyStore,
} from '../store/idempotency-store.js';
import type { Clock } from '../time/clock.js';
import { limitsOf, type Call } from './call.js';
import { promiseOf } from './store-failure.js';

/** What a flight came to: a record to replay, or nothing (released, lost, not recorded). */
export type Landing = IdempotencyRecord | undefined;

export const STILL_FLYING = Symbol('still flying');

/** A record, and the moment at which it was asked for. */
export interface Reading {
  readonly record: IdempotencyRecord | undefined;
  readonly atMs: number;
}

/** Calls that give up this soon after one another share a read. */
const READING_KEPT_MS = 1000;

/** The calls of this process that may be joined, by the store object and the id. */
const flights = new WeakMap<IdempotencyStore, Map<string, Flight>>();

/**
 * A call that others of the same process, store and id can join instead of asking the store: one
 * request for all of them. The latest flight of an id is the one to join.
 */
export class Flight {
  readonly #call: Call;
  #waiting: Set<(landing: Landing) => void> | undefined;
  #reading: { readonly promise: Promise<Reading>; readonly atMs: number } | undefined;

  private constructor(call: Call) {
    this.#call = call;
  }

  /** Makes `call` the one to join. */
  static start(call: Call): Flight {
    const flight = new Flight(call);
    let ofStore = flights.get(call.store);
    if (ofStore === undefined) flights.set(call.store, (ofStore = new Map<string, Flight>()));
    ofStore.set(call.id, flight);
    return flight;
  }

  /** The flight that `call` may join: another payload's result is not its own. */
  static toJoin(call: Call): Flight | undefined {
    const flight = flights.get(call.store)?.get(call.id);
    if (flight === undefined) return undefined;
    return flight.#call.fingerprint === call.fingerprint ? flight : undefined;
  }

  /** Waits for the landing, until `untilMs`. */
  join(untilMs: number, clock: Clock): Promise<Landing | typeof STILL_FLYING> {
    return new Promise((resolve) => {
      const waiting = (this.#waiting ??= new Set());
      const land = (landing: Landing): void => {
        timer.cancel();
        resolve(landing);
      };
      const timer = clock.setTimer(
        () => {
          waiting.delete(land);
          resolve(STILL_FLYING);
        },
        Math.max(0, untilMs - clock.now()),
      );
      waiting.add(land);
    });
  }

  /** The record as it is now, read once for all that give up waiting at that time. */
  read(): Promise<Reading> {
    const nowMs = this.#call.settings.clock.now();
    if (this.#reading === undefined || Math.abs(nowMs - this.#reading.atMs) >= READING_KEPT_MS) {
      this.#reading = { promise: this.#readAt(nowMs), atMs: nowMs };
    }
    return this.#reading.promise;
  }

  async #readAt(atMs: number): Promise<Reading> {
    const { store, id } = this.#call;
    return { record: await promiseOf(store.get(id, limitsOf(this.#call))), atMs };
  }

  /** Tells all that joined; nobody joins any more. Only the first landing counts. */
  land(landing: Landing): void {
    const { store, id } = this.#call;
    const ofStore = flights.get(store);
    if (ofStore?.get(id) === this) ofStore.delete(id);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.forEach((land) => {
      land(landing);
    });
  }

  /** Lands with a completion that the store has taken. */
  landRecorded(completion: Completion): void {
    if (this.#waiting === undefined) {
      this.land(undefined);
      return;
    }
    const { nowMs, ttlMs } = completion;
    // The store's reply may come so late that another call has the key by now: then ask.
    const isLive = this.#call.settings.clock.now() <= nowMs + ttlMs;
    this.land(isLive ? recordOf(completion, this.#call) : undefined);
  }
}

/** As far as a replay reads it. */
function recordOf(completion: Completion, call: Call): IdempotencyRecord {
  const { nowMs, ttlMs, ...outcome } = completion;
  return {
    ...outcome,
    id: call.id,
    completedAtMs: nowMs,
    expiresAtMs: nowMs + ttlMs,
  };
}
