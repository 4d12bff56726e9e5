import { types } from 'node:util';

/**
 * What `JSON.stringify` sees of a value: what its `toJSON` returns, if it has one. `name` is the
 * member's name or index, which `toJSON` gets as its argument.
 */
export function jsonForm(value: unknown, name: string | number): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(value, String(name)) : value;
}

/** Without a class: an object literal or parsed JSON, of this realm or another (a test runner's). */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  );
}

/** A primitive out of its box (`new String('a')`), as `JSON.stringify` reads it; else the object. */
export function unboxed(value: object): unknown {
  if (!types.isBoxedPrimitive(value) || types.isSymbolObject(value)) return value;
  if (types.isNumberObject(value)) return Number(value);
  return types.isStringObject(value) ? String(value) : value.valueOf();
}
