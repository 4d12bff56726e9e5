import { types } from 'node:util';
import { crypto } from '../node/builtins.js';
import { asFault, Fault, faultIn, ILL_FORMED, MAX_DEPTH } from './fault.js';
import { isPlain, jsonForm, unboxed } from './json-form.js';
import { memberNames } from './member-names.js';
import { Utf8Writer } from './utf8-writer.js';

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
  return written(value, name, method, (writer) => writer.text());
}

/** The SHA-256 of {@link canonicalJson} in UTF-8, as hexadecimal digits; throws as that does. */
export function canonicalHash(value: unknown, name = 'value', method?: string): string {
  return written(value, name, method, (writer) => crypto().hash('sha256', writer.written()));
}

/** A larger buffer is not kept: one large payload must not hold its memory for good. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** Not in use. Taken while a value is written, since a getter or `toJSON` may come back here. */
let idle: Utf8Writer | undefined;

function written(
  value: unknown,
  name: string,
  method: string | undefined,
  take: (writer: Utf8Writer) => string,
): string {
  const writer = idle ?? new Utf8Writer();
  idle = undefined;
  writer.rewind(0);
  try {
    if (!write(writer, value, '', 0)) throw new Fault('has no form in JSON');
    return take(writer);
  } catch (error) {
    throw asFault(error).toKeyError(name, method);
  } finally {
    if (writer.capacity <= MAX_KEPT_BYTES) idle = writer;
  }
}

/** `false`, and nothing is written, where JSON leaves the value out. */
function write(writer: Utf8Writer, value: unknown, name: string | number, depth: number): boolean {
  switch (typeof value) {
    case 'string':
      return writer.quoted(value) || refuse(ILL_FORMED);
    case 'number':
      if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) refuse(numberFault(value));
      writer.ascii(String(value));
      return true;
    case 'boolean':
      writer.ascii(value ? 'true' : 'false');
      return true;
    case 'bigint':
      return refuse('is a bigint, which JSON has no form for; use String(…)');
    case 'object':
    case 'function':
      return writeForm(writer, value, name, depth);
    default:
      return false;
  }
}

function writeForm(
  writer: Utf8Writer,
  value: object | null,
  name: string | number,
  depth: number,
): boolean {
  const form = jsonForm(value, name);
  if (form === null) {
    writer.ascii('null');
    return true;
  }
  if (typeof form === 'function') return false;
  if (typeof form !== 'object') return write(writer, form, name, depth);
  if (depth >= MAX_DEPTH) throw Fault.tooDeep(form);
  if (Array.isArray(form)) return writeArray(writer, form, depth);
  return isPlain(form)
    ? writeObject(writer, form, depth)
    : writeInstance(writer, form, name, depth);
}

function writeArray(writer: Utf8Writer, array: readonly unknown[], depth: number): boolean {
  const start = writer.length;
  let index = 0;
  try {
    for (; index < array.length; index += 1) {
      writer.byte(COMMA);
      if (!write(writer, array[index], index, depth + 1)) writer.ascii('null');
    }
  } catch (error) {
    throw faultIn(array, index, error);
  }
  enclose(writer, start, '[', ']');
  return true;
}

function writeObject(writer: Utf8Writer, object: object, depth: number): boolean {
  const members = object as Readonly<Record<string, unknown>>;
  const start = writer.length;
  let current = '';
  const names = memberNames(Object.keys(object));
  try {
    for (const { name, label } of names) {
      current = name;
      const before = writer.length;
      writer.bytes(label);
      if (!write(writer, members[name], name, depth + 1)) writer.rewind(before);
    }
  } catch (error) {
    throw faultIn(object, current, error);
  }
  enclose(writer, start, '{', '}');
  return true;
}

/** The brackets around elements or members: the first of them was written behind a comma too. */
function enclose(writer: Utf8Writer, start: number, opening: string, closing: string): void {
  if (writer.length === start) writer.ascii(opening);
  else writer.replace(start, opening.charCodeAt(0));
  writer.ascii(closing);
}

/** An object of a class: as its members, unless they would say nothing of what it holds. */
function writeInstance(
  writer: Utf8Writer,
  instance: object,
  name: string | number,
  depth: number,
): boolean {
  const primitive = unboxed(instance);
  if (typeof primitive !== 'object') return write(writer, primitive, name, depth);
  if (types.isMap(instance))
    refuse('is a Map, whose entries JSON leaves out; use an array of them');
  if (types.isSet(instance))
    refuse('is a Set, whose members JSON leaves out; use an array of them');
  const members: unknown[] = Object.values(instance);
  // A typed array without elements is as plain as an empty array.
  if (members.every((member) => typeof member === 'function') && !types.isTypedArray(instance)) {
    refuse('is an object of a class without enumerable members and without `toJSON`');
  }
  return writeObject(writer, instance, depth);
}

const COMMA = 0x2c;

function numberFault(value: number): string {
  return Number.isFinite(value)
    ? 'is a number beyond 2^53 - 1, where one number stands for several integers; use a string'
    : 'is NaN or infinite, which JSON has no form for';
}

function refuse(reason: string): never {
  throw new Fault(reason);
}
