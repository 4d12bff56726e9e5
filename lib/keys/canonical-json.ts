import { types } from 'node:util';
import { Fault, MAX_DEPTH, passOn } from './fault.js';
import { isPlain, jsonForm } from './json-form.js';
import { memberNames } from './member-names.js';
import { quoted } from './quoted.js';
import { ILL_FORMED } from './well-formed.js';

/**
 * The canonical JSON (RFC 8785, JCS) of `value`: one text for equal data, whatever the order of its
 * members. Values are read as `JSON.stringify` reads them: `toJSON` is honoured, boxed primitives
 * are unboxed, undefined, functions and symbols are left out (`null` in arrays).
 *
 * Refused is what JSON cannot tell apart: Map, Set, bigint, integers beyond 2^53 - 1 (and with them
 * every larger number), NaN, Infinity, cycles, more than 1000 levels, strings and member names that
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
    throw error instanceof Fault ? error.toKeyError(name, method) : error;
  }
}

/** `undefined` where JSON leaves the value out. */
function write(value: unknown, name: string | number, depth: number): string | undefined {
  const form = jsonForm(value, name);
  switch (typeof form) {
    case 'string':
      return quoted(form) ?? refuse(ILL_FORMED);
    case 'number':
      return Math.abs(form) <= Number.MAX_SAFE_INTEGER ? String(form) : refuse(numberFault(form));
    case 'boolean':
      return form ? 'true' : 'false';
    case 'object':
      if (form === null) return 'null';
      if (depth >= MAX_DEPTH) throw Fault.tooDeep(form);
      return Array.isArray(form) ? writeArray(form, depth) : writeObject(form, depth);
    case 'bigint':
      return refuse('is a bigint, which JSON has no form for; use String(…)');
    default:
      return undefined;
  }
}

function writeArray(array: readonly unknown[], depth: number): string {
  let text = '[';
  let index = 0;
  try {
    for (; index < array.length; index += 1) {
      const element = write(array[index], index, depth + 1) ?? 'null';
      text += index === 0 ? element : `,${element}`;
    }
  } catch (error) {
    throw passOn(error, array, index);
  }
  return `${text}]`;
}

function writeObject(object: object, depth: number): string {
  const { sorted, labels } = memberNames(Object.keys(object));
  if (!isPlain(object)) refuseOpaque(object, sorted);
  let text = '';
  let index = 0;
  try {
    for (; index < sorted.length; index += 1) {
      const name = sorted[index]!;
      const member = write((object as Record<string, unknown>)[name], name, depth + 1);
      if (member !== undefined) text += (text === '' ? '' : ',') + labels[index]! + member;
    }
  } catch (error) {
    throw passOn(error, object, sorted[index]!);
  }
  return `{${text}}`;
}

/** Refuses an object of a class whose JSON would say nothing of what it holds. */
function refuseOpaque(object: object, names: readonly string[]): void {
  if (types.isMap(object)) refuse('is a Map, whose entries JSON leaves out; use an array of them');
  if (types.isSet(object)) refuse('is a Set, whose members JSON leaves out; use an array of them');
  if (types.isTypedArray(object)) return;
  const members = object as Record<string, unknown>;
  if (names.every((name) => typeof members[name] === 'function'))
    refuse('is an object of a class without enumerable members and without `toJSON`');
}

function numberFault(value: number): string {
  return Number.isFinite(value)
    ? 'is a number beyond 2^53 - 1, where one number stands for several integers; use a string'
    : 'is NaN or infinite, which JSON has no form for';
}

function refuse(reason: string): never {
  throw new Fault(reason);
}
