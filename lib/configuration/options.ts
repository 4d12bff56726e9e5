import type { Awaitable, ResultCodec } from '../results/result-codec.js';
import type { IdempotencyStore, OnExpiredClaim } from '../store/idempotency-store.js';
import type { Clock } from '../time/clock.js';

/** What the engine needs of Lambda's context object. */
export interface LambdaContextLike {
  /** Milliseconds until Lambda ends the invocation. */
  getRemainingTimeInMillis(): number;
}

/** What to do with a call that has no key. */
export type OnMissingKey = 'throw' | 'run';
/** What to do when the claim cannot be made for a retryable reason. */
export type OnStoreUnavailable = 'throw' | 'run';
/** What the caller gets when the method succeeded and recording its result failed. */
export type OnCompletionFailure = 'return' | 'throw';

/** Where the records are. One place names a store or a table, never both. */
export type StoreOrTable<Store> = NamedStore<Store> | NamedTable;

/** A place that names a store. */
export interface NamedStore<Store> {
  /** The store, or a function that returns it, called at each call with the method's `this`. */
  readonly store?: Store;
  /** Not together with `store`. */
  readonly table?: never;
}

/** A place that names a table. */
export interface NamedTable {
  /** Not together with `table`. */
  readonly store?: never;
  /**
   * Short for a `DynamoDBStore` on that table.
   * @default the environment variable `MAYFLY_IDEMPOTENCY_TABLE`
   */
  readonly table?: string;
}

/**
 * What a process, a class or `withIdempotency` can set for many methods: {@link SharedOptions} and a
 * store or a table.
 */
export type DefaultOptions = SharedOptions &
  StoreOrTable<IdempotencyStore | ((self: never) => IdempotencyStore)>;

/**
 * Options of one method: {@link CallOptions} and a store or a table. `This` is its class, `A` its
 * arguments, `R` what its promise resolves to; all three are taken from the method that is decorated.
 */
export type MethodOptions<This, A extends readonly unknown[], R> = CallOptions<This, A, R> &
  StoreOrTable<IdempotencyStore | ((self: This) => IdempotencyStore)>;

/**
 * What many methods can share, the store aside. All durations are seconds and may be fractional.
 * Wrong values throw where they are given, a `TypeError` for a wrong type and a `RangeError` for a
 * wrong number.
 */
export interface SharedOptions {
  /**
   * How long a recorded result is replayed, in seconds from completion; then the key is free again.
   * More than 0, at most ten years (it is a duration, not a point in time).
   * @default 3600
   */
  readonly ttl?: number;
  /**
   * What keeps two methods with equal keys apart: the id is `namespace#key`. Used as it is, at most
   * 512 bytes of UTF-8, without `#`. As a class's or the process's default it replaces the class
   * part: `orders` gives `orders.pay`. A class's default names the methods which that class itself
   * declares, not those of its subclasses. Set it where code is minified or classes are renamed: a
   * derived name that changes frees every key in flight.
   * @default `Class.method`; under Lambda `FUNCTION_NAME/Class.method`
   */
  readonly namespace?: string;
  /**
   * How long a claim protects a running call, in seconds, at least 1. Given explicitly it wins over
   * the Lambda context. Every claim that is not tied to a context's deadline is renewed each third
   * of it while the method runs. When it is over and the owner has neither recorded nor renewed, the
   * next call runs the method again.
   * @default the remaining time of the Lambda context; 60 where there is none
   */
  readonly lease?: number;
  /**
   * For how many seconds from the start of the method its claim is renewed. Then the claim lapses,
   * and a `renewal-ended` event says so. 0 never renews.
   * @default 3600
   */
  readonly renewFor?: number;
  /**
   * `'run'` runs a call without a key unprotected and leaves the store alone. It covers missing
   * values and their traces in strings; an unusable value (a promise, a Map) or a `key` function
   * that throws is an `IdempotencyKeyError` all the same.
   * @default 'throw'
   */
  readonly onMissingKey?: OnMissingKey;
  /**
   * `'run'` fails open: when the claim cannot be made for a retryable reason (an outage, throttling)
   * the method runs unprotected. A missing table or permission always throws.
   * @default 'throw'
   */
  readonly onStoreUnavailable?: OnStoreUnavailable;
  /**
   * What the caller gets when the method succeeded and its result could not be recorded: the result
   * (an event and a process warning tell you), or an `IdempotencyStoreError` that carries it. The
   * key stays claimed until the lease ends either way.
   * @default 'return'
   */
  readonly onCompletionFailure?: OnCompletionFailure;
  /**
   * `'reject'`: when an earlier call's claim ended without an outcome (its process died), never run
   * again on its own; throw `IdempotencyExpiredClaimError` until an operator calls `store.forget`.
   * @default 'run'
   */
  readonly onExpiredClaim?: OnExpiredClaim;
  /**
   * How many seconds to wait for a running call's outcome before giving up as in progress, at most
   * until half a second before the Lambda invocation ends. Waiting calls of one process share one
   * request; others poll with growing pauses of at most a second. Costs no request where the running
   * call is in this process (and did not begin before anything in it had `wait`), one consistent read
   * per poll where it is not. A call made inside the very run it would wait for gives up at once.
   * @default 0
   */
  readonly wait?: number;
  /**
   * Which results are recorded. `false` releases the key instead, so that a retry runs the method
   * again: for a failure that is returned, not thrown (a 503 reply). Called once, after the method
   * succeeded. Only a plain `false` releases; a predicate that throws or returns anything else
   * (a promise) records.
   * @default every result
   * @example `recordResultIf: reply => reply.statusCode < 500`
   */
  readonly recordResultIf?: (result: never) => boolean;
  /**
   * Which errors are recorded. `true` keeps the error (name, message up to 4 KB, code, statusCode)
   * and retries get it again without a run: for failures that are final, or that come after the
   * side effect. Only a plain `false` releases the key; a predicate that throws records. Errors of
   * this package are never recorded.
   * @default no error
   */
  readonly recordErrorIf?: (error: unknown) => boolean;
  /**
   * How results are kept.
   * @default jsonCodec
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- serves methods of every result
  readonly codec?: ResultCodec<any>;
  /**
   * The clock, for tests.
   * @default systemClock
   */
  readonly clock?: Clock;
  /**
   * `false` switches protection off: methods run every time and no store is touched. For unit tests;
   * one process warning says so. The environment variable `MAYFLY_IDEMPOTENCY_DISABLED` does the
   * same and is read strictly: `1`, `true`, `yes`, `on`, or `0`, `false`, `no`, `off` and empty.
   * @default true
   */
  readonly enabled?: boolean;
}

/** What a method says for itself, the store aside; types as in {@link MethodOptions}. */
export interface CallOptions<This, A extends readonly unknown[], R> extends Omit<
  SharedOptions,
  'codec' | 'recordResultIf' | 'clock' | 'enabled'
> {
  /**
   * What makes two calls the same: a function of the arguments, or a literal. Called once per call,
   * synchronously, before anything else, with the method's `this`. It returns a string, number,
   * bigint, array or plain object; arrays keep tenants apart: `e => [e.tenantId, e.orderId]`. A
   * missing part is an `IdempotencyKeyError`. Use a business key: a random value, a time or a
   * request id differs at each retry and protects nothing.
   * @default SHA-256 of the canonical JSON (RFC 8785) of the arguments before the Lambda context
   */
  readonly key?: KeyFunction<This, A> | KeyValue;
  /**
   * The Lambda context, or a function of the arguments that returns it: its remaining time bounds
   * the claim.
   * @default the first argument that has a method `getRemainingTimeInMillis`
   */
  readonly context?:
    LambdaContextLike | ((this: This, ...args: A) => LambdaContextLike | undefined);
  /** Which results are recorded; `false` releases the key. */
  readonly recordResultIf?: (result: R) => boolean;
  /**
   * What else has to be equal: the same key with another fingerprint is refused with
   * `IdempotencyPayloadMismatchError`, while the first call runs and after it completed. A function
   * of the arguments, called once per call after `key`; the record keeps the SHA-256 of its
   * canonical JSON. A record without a fingerprint is accepted.
   * @default none
   */
  readonly fingerprint?: KeyFunction<This, A>;
  /**
   * Called on replays only, with the decoded result; what it returns (or its promise resolves to) is
   * what the caller gets. A throw rejects that replay and changes nothing else.
   * @default none
   */
  readonly onReplay?: (result: R, replay: Replay) => Awaitable<R>;
  /**
   * How results are kept.
   * @default jsonCodec
   */
  readonly codec?: ResultCodec<R>;
}

/** What `onReplay` is told besides the result. */
export interface Replay {
  /** The record's id: namespace and key. */
  readonly id: string;
  /** The key's part of the id: the key itself, or `sha256:` and its hash. */
  readonly key: string;
  /** When the recorded call completed, where the record says so. */
  readonly completedAt: Date | undefined;
  /** When the record expires and the key is free again. */
  readonly expiresAt: Date | undefined;
}

/** A literal key. */
export type KeyValue =
  string | number | bigint | readonly unknown[] | Readonly<Record<string, unknown>>;

/** Makes the key of a call from its arguments. */
export type KeyFunction<This, A extends readonly unknown[]> = (this: This, ...args: A) => unknown;
