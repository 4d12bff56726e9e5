import { jsonCodec } from '../results/json-codec.js';
import type { ResultCodec } from '../results/result-codec.js';
import type { IdempotencyStore, OnExpiredClaim } from '../store/idempotency-store.js';
import { systemClock, type Clock } from '../time/clock.js';
import { secondsToMs } from '../time/duration.js';
import type {
  DefaultOptions,
  OnCompletionFailure,
  OnMissingKey,
  OnStoreUnavailable,
} from './options.js';

const DEFAULT_TTL_SECONDS = 3600;
const DEFAULT_RENEW_FOR_SECONDS = 3600;

/** The options that apply to a call, merged, with every default filled in and in milliseconds. */
export interface Settings {
  readonly ttlMs: number;
  /** Absent where the Lambda context, or else the default, decides. */
  readonly leaseMs: number | undefined;
  readonly renewForMs: number;
  /** How long to wait for a running call's outcome; 0 not at all. */
  readonly waitMs: number;
  readonly onMissingKey: OnMissingKey;
  readonly onStoreUnavailable: OnStoreUnavailable;
  readonly onCompletionFailure: OnCompletionFailure;
  readonly onExpiredClaim: OnExpiredClaim;
  readonly recordResultIf: ((result: unknown) => boolean) | undefined;
  readonly recordErrorIf: ((error: unknown) => boolean) | undefined;
  readonly codec: ResultCodec;
  readonly clock: Clock;
  /** Absent where the environment decides. */
  readonly enabled: boolean | undefined;
  readonly store: StoreSource | undefined;
}

/** Where the nearest place that names a store says it is. */
export type StoreSource =
  { readonly store: IdempotencyStore | ((self: unknown) => unknown) } | { readonly table: string };

/** Merges layers of options, the nearest first: the first that gives an option decides it. */
export function resolveSettings(layers: readonly object[]): Settings {
  // Types are those of the single places; here only names matter.
  const given = layers as readonly DefaultOptions[];
  const pick = <K extends keyof DefaultOptions>(name: K): DefaultOptions[K] | undefined => {
    for (const layer of given) {
      if (layer[name] !== undefined) return layer[name];
    }
    return undefined;
  };
  const lease = pick('lease');
  return {
    ttlMs: secondsToMs(pick('ttl') ?? DEFAULT_TTL_SECONDS),
    leaseMs: lease === undefined ? undefined : secondsToMs(lease),
    renewForMs: secondsToMs(pick('renewFor') ?? DEFAULT_RENEW_FOR_SECONDS),
    waitMs: secondsToMs(pick('wait') ?? 0),
    onMissingKey: pick('onMissingKey') ?? 'throw',
    onStoreUnavailable: pick('onStoreUnavailable') ?? 'throw',
    onCompletionFailure: pick('onCompletionFailure') ?? 'return',
    onExpiredClaim: pick('onExpiredClaim') ?? 'run',
    recordResultIf: pick('recordResultIf') as Settings['recordResultIf'],
    recordErrorIf: pick('recordErrorIf'),
    codec: (pick('codec') as ResultCodec | undefined) ?? jsonCodec,
    clock: pick('clock') ?? systemClock,
    enabled: pick('enabled'),
    store: nearestStore(given),
  };
}

function nearestStore(layers: readonly DefaultOptions[]): StoreSource | undefined {
  for (const { store, table } of layers) {
    if (store !== undefined) return { store: store as (self: unknown) => unknown };
    if (table !== undefined) return { table };
  }
  return undefined;
}
