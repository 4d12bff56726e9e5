import type { DefaultOptions } from './options.js';

/**
 * The options of `outer` with those of `inner` over them, `undefined` ones too. A store or a table of
 * `inner` replaces whichever of the two `outer` names.
 */
export function overlaid(outer: DefaultOptions, inner: DefaultOptions): DefaultOptions {
  const merged: Record<string, unknown> = { ...outer };
  if (inner.store !== undefined) delete merged['table'];
  if (inner.table !== undefined) delete merged['store'];
  return Object.assign(merged, inner);
}
