import { wrongOption } from '../errors/wrong-option.js';

/*
 * Checks of options that several stores have, the cache before one among them: what is wrong shows
 * when the store is made.
 */

const MAX_SECONDS = 3600;
const MAX_PREFIX_BYTES = 512;

/** @throws TypeError for an option that nobody knows: a misspelt one would change nothing. */
export function checkKnown(options: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(
    `Expected some of the options ${known.join(', ')}, got \`${unknown}\` (${where})`,
  );
}

/** @throws TypeError for what is no number, RangeError for one that `isValid` refuses. */
export function checkNumber(
  value: unknown,
  option: string,
  what: string,
  where: string,
  isValid: (value: number) => boolean,
): number {
  if (typeof value !== 'number') throw new TypeError(wrongOption(option, what, value, where));
  if (!isValid(value)) throw new RangeError(wrongOption(option, what, value, where));
  return value;
}

/** {@link checkNumber} for a duration, which is at most an hour. */
export function checkSeconds(
  value: unknown,
  option: string,
  what: string,
  where: string,
  isValid: (seconds: number) => boolean,
): void {
  const seconds = checkNumber(value, option, what, where, isValid);
  checkNumber(
    seconds,
    option,
    `${what} up to ${String(MAX_SECONDS)}`,
    where,
    () => seconds <= MAX_SECONDS,
  );
}

/** @throws TypeError for what cannot stand before an id. */
export function checkKeyPrefix(value: unknown, where: string): void {
  if (typeof value === 'string' && Buffer.byteLength(value) <= MAX_PREFIX_BYTES) return;
  const what = `a string of at most ${String(MAX_PREFIX_BYTES)} bytes`;
  throw new TypeError(wrongOption('keyPrefix', what, value, where));
}

/** @throws TypeError for what is no clock; `undefined` is the system's. */
export function checkClock(value: unknown, where: string): void {
  if (value === undefined || hasMethods(value, ['now', 'setTimer'])) return;
  throw new TypeError(wrongOption('clock', 'a clock with `now` and `setTimer`', value, where));
}

/** Whether a value has the methods of the store contract. */
export function isStoreShaped(value: unknown): boolean {
  return hasMethods(value, ['claim', 'renew', 'complete', 'release', 'get', 'forget']);
}

/** Whether a value is an object with all of these methods. */
export function hasMethods(
  value: unknown,
  names: readonly string[],
): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
  );
}
