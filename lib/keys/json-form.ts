import { types } from 'node:util';

/**
 * What `JSON.stringify` sees of a value: what its `toJSON` returns, if it has one, without the box
 * around a primitive. `name` is the member's name or index, which `toJSON` gets as its argument.
 */
export function jsonForm(value: unknown, name: string | number): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const form: unknown = typeof toJSON === 'function' ? toJSON.call(value, String(name)) : value;
  return typeof form === 'object' && form !== null && !isPlain(form) ? unboxed(form) : form;
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

function unboxed(value: object): unknown {
  if (types.isNumberObject(value)) return Number(value);
  if (types.isStringObject(value)) return String(value);
  return types.isBooleanObject(value) || types.isBigIntObject(value) ? value.valueOf() : value;
}
