import { AsyncLocalStorage } from 'node:async_hooks';
import { wrongOption } from '../errors/wrong-option.js';
import type { DefaultOptions } from './options.js';
import { overlaid } from './overlaid.js';
import { processState } from './process-state.js';
import { validateDefaults } from './validate-options.js';

/**
 * Runs `fn` with options that win over every other place (methods, classes, the process) for each
 * idempotent call made inside it, however deep and however asynchronous: how a test swaps the store
 * of a method that names its own. Nested calls add to the outer ones.
 *
 * @returns What `fn` returns.
 * @throws TypeError or RangeError for a wrong option; `fn` is not called then.
 * @example
 * ```ts
 * await withIdempotency({ store: new MemoryStore() }, () => orders.place(order));
 * ```
 */
export function withIdempotency<T>(overrides: DefaultOptions, fn: () => T): T {
  validateDefaults(overrides, 'withIdempotency');
  if (typeof fn !== 'function') {
    throw new TypeError(wrongOption('fn', 'a function', fn, 'withIdempotency'));
  }
  const storage = (processState.overrides ??= new AsyncLocalStorage<DefaultOptions>());
  const outer = storage.getStore();
  return storage.run(outer === undefined ? overrides : overlaid(outer, given(overrides)), fn);
}

/** What is given as `undefined` is left to the outer call. */
function given(overrides: DefaultOptions): DefaultOptions {
  return Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
}
