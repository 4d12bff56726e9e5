import { types } from 'node:util';
import { asFault, Fault, faultIn, ILL_FORMED, MAX_DEPTH } from './fault.js';
import { isPlain, jsonForm, unboxed } from './json-form.js';

/**
 * Checks what a `key` option gave, in itself and in everything inside it.
 *
 * - Missing: undefined, null, NaN, blank strings, empty arrays and objects, and strings with the
 *   trace of a missing part (`order:undefined`); an array or object with a missing member is missing.
 * - Unusable: booleans, infinite numbers, functions, symbols, promises, strings that are not well-formed.
 *
 * What it leaves to {@link canonicalJson}, through which every array and object goes: Map, Set, nested
 * bigints, numbers beyond 2^53 - 1, cycles, objects that show nothing of themselves.
 *
 * @param method the protected method, for the error
 * @param name what messages call the value
 * @throws {@link IdempotencyKeyError}, `missing` only for the first kind
 */
export function checkKeyValue(key: unknown, method?: string, name = 'key'): void {
  try {
    check(key, '', 0);
  } catch (error) {
    throw asFault(error).toKeyError(name, method);
  }
}

function check(value: unknown, name: string | number, depth: number): void {
  if (isThenable(value)) throw new Fault('is a promise: a key is made synchronously');
  const form = jsonForm(value, name);
  switch (typeof form) {
    case 'string':
      checkText(form, depth > 0);
      return;
    case 'number':
      checkNumber(form);
      return;
    case 'bigint':
      return;
    case 'object':
      if (form === null) throw missing('is null');
      if (depth >= MAX_DEPTH) throw Fault.tooDeep(form);
      checkObject(form, name, depth);
      return;
    case 'undefined':
      throw missing('is undefined');
    case 'boolean':
      throw new Fault('is a boolean; where it belongs to the key, use String(…)');
    default:
      throw new Fault(`is a ${typeof form}`);
  }
}

function checkObject(object: object, name: string | number, depth: number): void {
  const primitive = unboxed(object);
  if (typeof primitive !== 'object') {
    check(primitive, name, depth);
    return;
  }
  const members = Array.isArray(object) ? [...object.keys()] : Object.keys(object);
  if (members.length === 0 && isEmptyData(object)) throw missing('is empty');
  for (const member of members) {
    try {
      check((object as Record<string | number, unknown>)[member], member, depth + 1);
    } catch (error) {
      throw faultIn(object, member, error);
    }
  }
}

/** An empty Map or Promise is not: it has no members, whatever it holds. */
function isEmptyData(object: object): boolean {
  return Array.isArray(object) || isPlain(object) || types.isTypedArray(object);
}

function checkNumber(value: number): void {
  if (Number.isNaN(value)) throw missing('is NaN');
  if (!Number.isFinite(value)) throw new Fault('is infinite');
}

/** Cheaper than {@link TRACE}, which few strings need. */
const SUSPECT = /undefined|null|NaN|\[object /;

/** A whole word between ends or characters that are neither letter nor digit; `[object …]` anywhere. */
const TRACE = /\[object \w+\]|(?<![\p{L}\p{N}])(?:undefined|null|NaN)(?![\p{L}\p{N}])/u;

function checkText(text: string, nested: boolean): void {
  if (!/\S/.test(text)) throw missing('is blank');
  if (!text.isWellFormed()) throw new Fault(ILL_FORMED);
  const trace = SUSPECT.test(text) ? TRACE.exec(text)?.[0] : undefined;
  if (trace === undefined) return;
  if (trace.startsWith('[')) {
    const reason = `holds ${trace}, the text of a value that has none`;
    // A promise or a Map is there, if in a form that is no key; only a plain object is a trace.
    throw trace === '[object Object]' ? missing(reason) : new Fault(reason);
  }
  // Alone in an array or object the word is said on purpose: what is missing there is no string.
  if (nested && trace === text) return;
  throw missing(
    `holds the word ${trace}, the trace of a missing part; in an array it can stand alone`,
  );
}

function isThenable(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

function missing(reason: string): Fault {
  return new Fault(reason, { missing: true });
}
