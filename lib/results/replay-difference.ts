import { isDeepStrictEqual } from 'node:util';
import type { EncodedCompletion } from './encode-result.js';
import type { ResultCodec } from './result-codec.js';

/** Beyond this depth a result is not looked into: the check is a courtesy. */
const MAX_DEPTH = 64;

/**
 * Where and how the replay of a result will differ from it, in words; `undefined` where it will not,
 * or where nothing can be said. Never rejects.
 */
export async function replayDifference(
  result: unknown,
  completion: EncodedCompletion,
  codec: ResultCodec,
): Promise<string | undefined> {
  if (completion.resultOmitted !== undefined) {
    return `the ${codec.name} codec cannot encode it, so a replay throws IdempotencyResultUnavailableError`;
  }
  // Nothing kept although there was a result: a codec that discards it on purpose.
  if (completion.result === undefined) return undefined;
  let replayed: unknown;
  try {
    replayed = await codec.decode(completion.result);
  } catch {
    return `the ${codec.name} codec cannot decode what it encoded`;
  }
  try {
    return firstDifference(result, replayed, { path: 'result', depth: MAX_DEPTH, met: new Set() });
  } catch {
    // A getter or a proxy that throws, or a result too deep to compare: nothing can be said of it.
    return undefined;
  }
}

/** Where a comparison is: an object met before, in a cycle or on another way, is not looked into again. */
interface Place {
  readonly path: string;
  readonly depth: number;
  readonly met: Set<object>;
}

/** The first place where two values differ in a way that code would notice. */
function firstDifference(
  live: unknown,
  replayed: unknown,
  { path, depth, met }: Place,
): string | undefined {
  // Numbers: JSON turns -0 into 0, which hardly any code can tell, and NaN into null, which it can.
  if (live === replayed || Object.is(live, replayed) || depth === 0) return undefined;
  if (!isObject(live) || !isObject(replayed) || kindOf(live) !== kindOf(replayed)) {
    return `${path} is ${kindOf(live)} and becomes ${kindOf(replayed)}`;
  }
  if (isOpaque(live)) {
    return isDeepStrictEqual(live, replayed) ? undefined : `${path} changes`;
  }
  if (met.has(live)) return undefined;
  met.add(live);
  // An undefined member and a missing one read the same.
  for (const name of new Set([...Object.keys(live), ...Object.keys(replayed)])) {
    const place = Array.isArray(live) ? `${path}[${name}]` : `${path}.${name}`;
    const difference = firstDifference(live[name], replayed[name], {
      path: place,
      depth: depth - 1,
      met,
    });
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Objects whose contents are not in their members, or in very many. */
function isOpaque(value: object): boolean {
  return (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Date ||
    ArrayBuffer.isView(value)
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'undefined') return 'undefined';
  if (typeof value === 'number' && Number.isNaN(value)) return 'NaN';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return 'a plain object';
  const { constructor } = value as { constructor?: { name?: unknown } };
  const name = typeof constructor?.name === 'string' ? constructor.name : '';
  return name === '' ? 'an object of a class' : `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}
