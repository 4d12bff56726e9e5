import { IdempotencyKeyError } from '../errors/key-error.js';
import { checkKeyValue } from './key-value.js';

/** What can stand in a key template: 1, `'1'` and 1n are one part, as they are one key. */
export type KeyPart = string | number | bigint;

/**
 * A readable key of several parts, as a template literal that cannot go wrong: where a plain one
 * would put `undefined` into the key, or make one key of two, this one refuses or escapes.
 *
 * Missing parts are refused: undefined, null, NaN, blank strings, and the traces of a missing part in
 * a string (`order-undefined`). So is what has no text of its own: booleans, objects, arrays,
 * functions, infinite numbers, numbers beyond 2^53 - 1.
 *
 * Parts are escaped, so that no two lists of parts give one key: in them `%`, `#`, and every
 * character of the template's own text that is neither letter nor digit become `%` and two
 * hexadecimal digits for each byte of UTF-8, as in URLs. With `:` between the parts, ids with dashes
 * stay as they are. Letters of the template are not escaped, so between any two parts has to stand a
 * character that separates them. Templates that use different separators are not kept apart from
 * each other; use one per method.
 *
 * For the option `key` of a method; a key of more than a kilobyte is kept as its SHA-256.
 *
 * @throws {@link IdempotencyKeyError} naming the number of the part, never its value; `missing` for
 * missing ones, which `onMissingKey: 'run'` covers.
 * @throws TypeError where it is not used as a tag, or two parts have no separator between them.
 * @example
 * ```ts
 * class Orders {
 *   @Idempotent({ key: (e) => idempotencyKey`tenant:${e.tenantId}:order:${e.orderId}` })
 *   async place(e: OrderEvent): Promise<void> {} // tenant 'a:b', order 'c': tenant:a%3Ab:order:c
 * }
 * ```
 */
export function idempotencyKey(
  texts: TemplateStringsArray,
  ...parts: readonly (KeyPart | null | undefined)[]
): string {
  const separators = separatorsOf(texts);
  let key = texts[0] ?? '';
  parts.forEach((part, index) => {
    const text = textOf(part, `part ${String(index + 1)} of the key`);
    key += text.replace(separators, escaped) + (texts[index + 1] ?? '');
  });
  return key;
}

/** A template is one object for as long as the code lives, whatever its parts are. */
const separatorsByTemplate = new WeakMap<TemplateStringsArray, RegExp>();

/** Neither letter nor digit; `%` is not one, since escapes begin with it. */
const SEPARATOR = /[^\p{L}\p{N}%]/gu;

function separatorsOf(texts: TemplateStringsArray): RegExp {
  const known = separatorsByTemplate.get(texts);
  if (known !== undefined) return known;
  if (!Array.isArray(texts) || !Array.isArray((texts as { raw?: unknown }).raw)) {
    throw new TypeError('Expected a template: idempotencyKey`order:${id}`, without parentheses');
  }
  texts.slice(1, -1).forEach((text, index) => {
    if (text.search(SEPARATOR) !== -1) return;
    throw new TypeError(
      `Expected a separator (neither letter nor digit nor %) between the parts ${String(index + 1)} and ${String(index + 2)} of an idempotencyKey, got ${JSON.stringify(text)}`,
    );
  });
  const codes = ['%', '#', ...texts.join('').matchAll(SEPARATOR)].map(([character]) =>
    (character?.codePointAt(0) ?? 0).toString(16),
  );
  const pattern = new RegExp(`[${codes.map((code) => `\\u{${code}}`).join('')}]`, 'gu');
  separatorsByTemplate.set(texts, pattern);
  return pattern;
}

function textOf(part: unknown, name: string): string {
  const isContainer = (typeof part === 'object' && part !== null) || typeof part === 'function';
  if (isContainer) throw unusable(name, 'is no text, number or bigint');
  checkKeyValue(part, undefined, name);
  if (typeof part === 'number' && Math.abs(part) > Number.MAX_SAFE_INTEGER) {
    throw unusable(name, 'is a number beyond 2^53 - 1; use a string or a bigint');
  }
  return String(part);
}

function unusable(name: string, why: string): IdempotencyKeyError {
  return new IdempotencyKeyError(`\`${name}\` ${why}`);
}

function escaped(character: string): string {
  let text = '';
  for (const byte of Buffer.from(character)) {
    text += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}
