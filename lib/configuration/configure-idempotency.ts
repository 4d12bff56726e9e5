import type { DefaultOptions } from './options.js';
import { processState } from './process-state.js';
import { validateDefaults } from './validate-options.js';

/**
 * Sets defaults for every idempotent method of this process, on top of those set before. They apply
 * from the next call on, also to methods that were decorated earlier; what a class or a method says
 * itself wins over them. `undefined` takes a default back.
 *
 * @returns A function that takes these defaults back. Those set before and after stay, so it does
 * not matter in which order such functions are called; calling one again does nothing.
 * @throws TypeError or RangeError for a wrong option; nothing is changed then.
 * @example
 * ```ts
 * const restore = configureIdempotency({ store: new MemoryStore() });
 * after(restore);
 * ```
 */
export function configureIdempotency(defaults: DefaultOptions): () => void {
  validateDefaults(defaults, 'configureIdempotency');
  const layer = { ...defaults };
  setLayers([...processState.defaultLayers, layer]);
  return () => {
    setLayers(processState.defaultLayers.filter((each) => each !== layer));
  };
}

function merge(former: DefaultOptions, given: DefaultOptions): DefaultOptions {
  const merged = { ...former, ...given };
  // A store and a table in two calls: the later call means to replace the earlier one's.
  const { store, table, ...rest } = merged;
  if (given.store !== undefined) return { ...rest, store: given.store };
  if (given.table !== undefined) return { ...rest, table: given.table };
  return {
    ...rest,
    ...(store === undefined ? {} : { store }),
    ...(table === undefined ? {} : { table }),
  };
}

function setLayers(layers: readonly DefaultOptions[]): void {
  processState.defaultLayers = layers;
  processState.defaults = layers.reduce(merge, {});
  processState.revision += 1;
}
