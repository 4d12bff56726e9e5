import type { Replay } from '../configuration/options.js';
import type { Settings } from '../configuration/settings.js';
import type { OperationLimits, IdempotencyStore } from '../store/idempotency-store.js';
import { operationTimeoutMs, type Lease } from './lease.js';

/** One call of an idempotent method, as the protocol sees it. Nothing in it changes. */
export interface Call {
  /** `Class.method`, for errors and events. */
  readonly method: string;
  readonly id: string;
  readonly namespace: string;
  /** Who claims: fresh and random per call, so that no two callers ever pass for each other. */
  readonly token: string;
  readonly startedMs: number;
  readonly settings: Settings;
  readonly store: IdempotencyStore;
  readonly lease: Lease;
  readonly fingerprint: string | undefined;
  readonly onReplay: OnReplay | undefined;
  /** Runs the method with its own `this` and arguments. */
  readonly run: () => unknown;
}

export type OnReplay = (result: unknown, replay: Replay) => unknown;

/** The key's part of a call's id. */
export function keyOf({ id, namespace }: Call): string {
  return namespace === '' ? id : id.slice(namespace.length + 1);
}

const UNLIMITED: OperationLimits = {};

/** The bounds of a store operation that starts at `nowMs`. */
export function limitsOf(call: Call, nowMs = call.settings.clock.now()): OperationLimits {
  const timeoutMs = operationTimeoutMs(call.lease, nowMs);
  return timeoutMs === undefined ? UNLIMITED : { timeoutMs };
}
