import { processState } from '../configuration/process-state.js';
import { resolveSettings, type Settings } from '../configuration/settings.js';
import type { Declaration } from './declaration.js';
import { namespaceOf } from './namespace.js';

/** What applies to every call of a declaration on one class. */
export interface ResolvedOptions {
  readonly settings: Settings;
  readonly namespace: string;
}

/** Stands for calls without an instance. */
const NO_CLASS = {};

/**
 * Makes the look-up of a declaration's options by what it is called on. They are put together once
 * per class and kept until some default changes; inside `withIdempotency` they are not kept.
 */
export function optionsResolver(declaration: Declaration): (self: unknown) => ResolvedOptions {
  let revision = processState.revision;
  let kept = new WeakMap<object, ResolvedOptions>();

  return (self) => {
    const overrides = processState.overrides?.getStore();
    if (overrides !== undefined) {
      return {
        settings: resolveSettings([overrides, ...layersOf(declaration, self)]),
        namespace: namespaceOf(declaration, self, overrides),
      };
    }
    if (revision !== processState.revision) {
      revision = processState.revision;
      kept = new WeakMap();
    }
    const key = classOf(self);
    let resolved = kept.get(key);
    if (resolved === undefined) {
      resolved = {
        settings: resolveSettings(layersOf(declaration, self)),
        namespace: namespaceOf(declaration, self, undefined),
      };
      kept.set(key, resolved);
    }
    return resolved;
  };
}

function layersOf(declaration: Declaration, self: unknown): readonly object[] {
  return [declaration.options, ...declaration.classDefaults(self), processState.defaults];
}

/** What class defaults depend on: the prototype of an instance, or the class of a static call. */
function classOf(self: unknown): object {
  if (typeof self === 'function') return self;
  if (typeof self !== 'object' || self === null) return NO_CLASS;
  return (Object.getPrototypeOf(self) as object | null) ?? NO_CLASS;
}
