import { types } from 'node:util';
import { asFault, Fault, faultIn, MAX_DEPTH } from './fault.js';
import { isPlain, jsonForm, unboxed } from './json-form.js';
import { memberNames } from './member-names.js';
import { ILL_FORMED, quoted } from './quoted.js';

/**
 * The canonical JSON (RFC 8785, JCS) of `value`: one text for equal data, whatever the order of its
 * members. Values are read as `JSON.stringify` reads them: `toJSON` is honoured, boxed primitives
 * are unboxed, undefined, functions and symbols are left out (`null` in arrays).
 *
 * Refused is what JSON cannot tell apart: Map, Set, bigint, integers beyond 2^53 - 1 (and with them
 * every larger number), NaN, Infinity, cycles, more than 500 levels, strings and member names that
 * are not well-formed UTF-16, and objects of a class that show nothing of themselves (a Promise, a
 * RegExp, private fields).
 *
 * @param name what messages call the value: `payload` gives `payload.items[2].id`
 * @param method the protected method, for the error
 * @throws {@link IdempotencyKeyError} naming the place, never the value
 * @see https://www.rfc-editor.org/rfc/rfc8785
 *
 * @example
 * ```ts
 * canonicalJson({ b: [1e3, undefined], a: new Date(0) }); // {"a":"1970-01-01T00:00:00.000Z","b":[1000,null]}
 * ```
 */
export function canonicalJson(value: unknown, name = 'value', method?: string): string {
  try {
    const text = write(value, '', 0);
    if (text === undefined) throw new Fault('has no form in JSON');
    return text;
  } catch (error) {
    throw asFault(error).toKeyError(name, method);
  }
}

/** `undefined` where JSON leaves the value out. */
function write(value: unknown, name: string | number, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return quoted(value) ?? refuse(ILL_FORMED);
    case 'number':
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER
        ? String(value)
        : refuse(numberFault(value));
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return refuse('is a bigint, which JSON has no form for; use String(…)');
    case 'object':
    case 'function':
      return writeForm(value, name, depth);
    default:
      return undefined;
  }
}

function writeForm(value: object | null, name: string | number, depth: number): string | undefined {
  const form = jsonForm(value, name);
  if (form === null) return 'null';
  if (typeof form === 'function') return undefined;
  if (typeof form !== 'object') return write(form, name, depth);
  if (depth >= MAX_DEPTH) throw Fault.tooDeep(form);
  if (Array.isArray(form)) return writeArray(form, depth);
  return isPlain(form) ? writeObject(form, depth) : writeInstance(form, name, depth);
}

function writeArray(array: readonly unknown[], depth: number): string {
  let text = '';
  let index = 0;
  try {
    for (; index < array.length; index += 1) {
      const element = write(array[index], index, depth + 1) ?? 'null';
      text += (index === 0 ? '[' : ',') + element;
    }
  } catch (error) {
    throw faultIn(array, index, error);
  }
  return text === '' ? '[]' : `${text}]`;
}

function writeObject(object: object, depth: number): string {
  const members = object as Readonly<Record<string, unknown>>;
  let text = '';
  let current = '';
  const names = memberNames(Object.keys(object));
  try {
    for (const { name, opening, label } of names) {
      current = name;
      const member = write(members[name], name, depth + 1);
      if (member !== undefined) text += (text === '' ? opening : label) + member;
    }
  } catch (error) {
    throw faultIn(object, current, error);
  }
  return text === '' ? '{}' : `${text}}`;
}

/** An object of a class: as its members, unless they would say nothing of what it holds. */
function writeInstance(instance: object, name: string | number, depth: number): string | undefined {
  const primitive = unboxed(instance);
  if (typeof primitive !== 'object') return write(primitive, name, depth);
  if (types.isMap(instance))
    refuse('is a Map, whose entries JSON leaves out; use an array of them');
  if (types.isSet(instance))
    refuse('is a Set, whose members JSON leaves out; use an array of them');
  const members: unknown[] = Object.values(instance);
  // A typed array without elements is as plain as an empty array.
  if (members.every((member) => typeof member === 'function') && !types.isTypedArray(instance)) {
    refuse('is an object of a class without enumerable members and without `toJSON`');
  }
  return writeObject(instance, depth);
}

function numberFault(value: number): string {
  return Number.isFinite(value)
    ? 'is a number beyond 2^53 - 1, where one number stands for several integers; use a string'
    : 'is NaN or infinite, which JSON has no form for';
}

function refuse(reason: string): never {
  throw new Fault(reason);
}
