import type { MethodOptions } from '../configuration/options.js';
import { declarationOf } from './declared-functions.js';
import { chainOf, ownConstructor, ownMetadataObject } from './declaring-class.js';
import { OPTIONS, ownMetadata, STATIC_OPTIONS } from './own-metadata.js';

/** Options of a method whose types are not known. */
export type UntypedMethodOptions = MethodOptions<unknown, unknown[], unknown>;

/**
 * The options that `@Idempotent` was given on a method, for frameworks, tests and operators: without
 * defaults, `{}` where it was given none, `undefined` where the method is not decorated. Inherited
 * methods have those of the class that declares them; one that a subclass overrides without a
 * decorator has none.
 *
 * @param target A class, its prototype or an instance. On a class, a static method of that name
 * comes before an instance method.
 * @param name The method's name; `'#name'` for a private one.
 * @example
 * ```ts
 * getIdempotentOptions(OrderHandler, 'handle')?.ttl; // 3600
 * ```
 */
export function getIdempotentOptions(
  target: object,
  name: string | symbol,
): UntypedMethodOptions | undefined {
  if (typeof target !== 'function') return optionsAlong(target, name, false);
  const prototype = (target as { prototype?: unknown }).prototype;
  return (
    optionsAlong(target, name, true) ??
    (typeof prototype === 'object' && prototype !== null
      ? optionsAlong(prototype, name, false)
      : undefined)
  );
}

function optionsAlong(
  start: object,
  name: string | symbol,
  isStatic: boolean,
): UntypedMethodOptions | undefined {
  for (const holder of chainOf(start)) {
    const options = optionsAt(holder, name, isStatic);
    if (options !== undefined) return options as UntypedMethodOptions;
    // Overridden without a decorator. An instance's own property is looked through: it may be a
    // decorated arrow function that other decorators have wrapped.
    const isClassPart = isStatic || ownConstructor(holder) !== undefined;
    if (isClassPart && Object.hasOwn(holder, name)) return undefined;
  }
  return undefined;
}

function optionsAt(holder: object, name: string | symbol, isStatic: boolean): unknown {
  const legacy = ownMetadata(OPTIONS, holder, name);
  if (legacy !== undefined) return legacy;

  const declaring = isStatic ? holder : ownConstructor(holder);
  const metadata = declaring && ownMetadataObject(declaring);
  const standard = metadata && ownMetadata(isStatic ? STATIC_OPTIONS : OPTIONS, metadata, name);
  if (standard !== undefined) return standard;

  const value: unknown = Object.getOwnPropertyDescriptor(holder, name)?.value;
  return typeof value === 'function' ? declarationOf(value)?.options : undefined;
}
