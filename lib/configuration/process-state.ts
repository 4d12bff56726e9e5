import type { AsyncLocalStorage } from 'node:async_hooks';
import type { DefaultOptions } from './options.js';
import type { IdempotencyStore } from '../store/idempotency-store.js';

/**
 * What there is one of per process, whatever the number of copies of this package in it (an ES
 * module and a CommonJS one, two versions in a dependency tree): it lives under a `Symbol.for` key.
 * The key's version changes with any incompatible change to this shape.
 */
export interface ProcessState {
  /** What the {@link defaultLayers} come to. */
  defaults: DefaultOptions;
  /** What each `configureIdempotency` in force was given, the latest last. */
  defaultLayers: readonly DefaultOptions[];
  /** Counts changes of {@link defaults} and of class defaults, so that resolved settings can be kept. */
  revision: number;
  /** Made by the first `withIdempotency`; absent, no call pays for it. */
  overrides?: AsyncLocalStorage<DefaultOptions>;
  /**
   * The runs that are going on. Made where something may wait for a run, or asks for its own; absent,
   * no call pays for it, nor for being joined.
   */
  runs?: AsyncLocalStorage<unknown>;
  /**
   * The engine's `ExecutionTracking`, registered by importing `mayfly-idempotency/execution`. One copy
   * of this package gives it the calls of another: their shape belongs to this one.
   */
  executions?: object;
  /** Opens the DynamoDB store on a table; registered by importing `mayfly-idempotency/dynamodb`. */
  openDynamoDBStore?: (table: string) => IdempotencyStore;
  /** Keys of the process warnings given so far: each is given once. */
  readonly warnings: Set<string>;
  /** Methods whose first recorded result was compared with its replay. */
  readonly comparedReplays: Set<string>;
  /** What is known about decorated classes and methods, whether `reflect-metadata` is loaded or not. */
  readonly metadata: WeakMap<object, Map<string | symbol, Map<symbol, unknown>>>;
  /** Which declaration derived which namespace, to warn where two derive the same. */
  readonly derivedNamespaces: Map<string, object>;
}

const STATE_KEY = Symbol.for('mayfly-idempotency.state.v1');

interface StateHolder {
  [STATE_KEY]?: ProcessState | undefined;
}

export const processState: ProcessState = ((globalThis as StateHolder)[STATE_KEY] ??= {
  defaults: {},
  defaultLayers: [],
  revision: 0,
  warnings: new Set(),
  comparedReplays: new Set(),
  metadata: new WeakMap(),
  derivedNamespaces: new Map(),
});
