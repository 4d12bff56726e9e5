import type { DefaultOptions } from './options.js';
import { overlaid } from './overlaid.js';
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

function setLayers(layers: readonly DefaultOptions[]): void {
  processState.defaultLayers = layers;
  processState.defaults = layers.reduce(overlaid, {});
  processState.revision += 1;
}
