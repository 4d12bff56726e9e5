/*
 * Times in items are epoch seconds as DynamoDB numbers, which travel as decimal text. The text is
 * what conditions compare, so reading and writing it must not add or lose a millisecond.
 */

const MS_PER_SECOND = 1000;

/** The last moment that a JavaScript Date can name (ECMA-262, 21.4.1.1). */
const MAX_DATE_MS = 8.64e15;
/** Of longer text a fraction may be lost, and look like a whole number. */
const MAX_WHOLE_DIGITS = 12;

/** `''`, `.001`, … `.999`, each made when it is first needed. */
const decimals: string[] = [''];

/**
 * A time as seconds with at most three decimals; fractions of a millisecond are cut off. Put together
 * from two whole numbers: their texts are quick to make, that of a fraction is not.
 */
export function epochSecondsText(ms: number): string {
  const wholeMs = Math.floor(ms);
  const seconds = Math.floor(wholeMs / MS_PER_SECOND);
  const restMs = wholeMs - seconds * MS_PER_SECOND;
  // A time before 1970 has its decimals on the other side of the point.
  if (seconds < 0 || !Number.isSafeInteger(wholeMs)) return String(wholeMs / MS_PER_SECOND);
  return String(seconds) + (decimals[restMs] ??= String(restMs / MS_PER_SECOND).slice(1));
}

/**
 * Seconds as text to milliseconds, fractions cut off (a whole number of milliseconds is later than
 * the result exactly where it is later than the text), or `undefined` for no number. Beyond what a
 * Date can name, the last moment that it can: such a time (a foreign record's microseconds) is so
 * far off that only `forget` ends it.
 */
export function msFromEpochSecondsText(text: string): number | undefined {
  const seconds = Number(text);
  // What most times are. Not 0: blank text would count as that.
  if (seconds > 0 && text.length <= MAX_WHOLE_DIGITS && Number.isInteger(seconds)) {
    return Math.min(seconds * MS_PER_SECOND, MAX_DATE_MS);
  }
  // The decimal point is moved in the text: multiplying 1764581338.123 by 1000 would give a little
  // less than the whole number. Text with an exponent (a foreign record's) has no such form.
  const exact = Number(`${text}e3`);
  const ms = Math.floor(Number.isNaN(exact) ? Number(text.trim() || NaN) * MS_PER_SECOND : exact);
  if (!Number.isFinite(ms)) return undefined;
  return Math.max(-MAX_DATE_MS, Math.min(ms, MAX_DATE_MS));
}

/** `atMs + delayMs`, at most the last moment that a Date can name. */
export function later(atMs: number, delayMs: number): number {
  return Math.min(atMs + delayMs, MAX_DATE_MS);
}
