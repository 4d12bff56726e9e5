/**
 * The unit of every public duration is the second, of every internal one the millisecond. The
 * conversions are here; those of times as DynamoDB's numbers, which are text, in
 * `store/dynamodb/epoch-seconds.ts`.
 */

const MS_PER_SECOND = 1000;

/** Seconds, possibly fractional, to whole milliseconds. */
export function secondsToMs(seconds: number): number {
  return Math.round(seconds * MS_PER_SECOND);
}

/** Milliseconds since the epoch to whole epoch seconds, rounded up: what DynamoDB's TTL reads. */
export function msToEpochSecondsRoundedUp(ms: number): number {
  return Math.ceil(ms / MS_PER_SECOND);
}

/** Milliseconds to seconds with millisecond decimals. */
export function msToSeconds(ms: number): number {
  return ms / MS_PER_SECOND;
}
