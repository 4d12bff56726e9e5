/** ES2024's method, in every supported Node.js; only its type is newer than our `lib`. */
type WithIsWellFormed = string & { isWellFormed(): boolean };

/** Whether no surrogate stands alone: only then UTF-8 has a form for `text` that is its own. */
export function isWellFormed(text: string): boolean {
  return (text as WithIsWellFormed).isWellFormed();
}

export const ILL_FORMED = 'is not well-formed UTF-16 (a surrogate stands alone)';
