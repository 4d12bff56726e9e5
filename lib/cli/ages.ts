const units = [
  { name: 'days', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1000 },
] as const;

/**
 * A length of time in one unit, rounded down: `12 s`, `3 min`, `26 h`, `9 days`. A unit is used from
 * two of it on, so that the number is never off by half.
 */
export function age(ms: number): string {
  const unit = units.find((each) => ms >= 2 * each.ms) ?? units[units.length - 1];
  return unit === undefined || ms < 1000
    ? 'less than 1 s'
    : `${String(Math.floor(ms / unit.ms))} ${unit.name}`;
}

/** `12 s ago`; a time that is still to come is a clock that differs, and `just now`. */
export function ago(atMs: number, nowMs: number): string {
  return atMs > nowMs ? 'just now' : `${age(nowMs - atMs)} ago`;
}
