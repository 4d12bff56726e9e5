/** Why {@link quoted} refuses a string. */
export const ILL_FORMED = 'is not well-formed UTF-16 (a surrogate stands alone)';

/** What cannot stand in quotes as it is, and surrogates, which have to be looked at. */
const NEEDS_CARE = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * `text` as a JSON string; `undefined` where it is not well-formed. `JSON.stringify` escapes as RFC
 * 8785, 3.2.2.2 asks for; most strings need no escape, and finding that out is cheaper.
 */
export function quoted(text: string): string | undefined {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  return text.isWellFormed() ? JSON.stringify(text) : undefined;
}
