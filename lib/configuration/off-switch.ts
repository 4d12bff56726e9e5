import { warnOnce } from './warnings.js';

const VARIABLE = 'MAYFLY_IDEMPOTENCY_DISABLED';

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off)$/i;

/**
 * Whether protection is on: what the nearest `enabled` says, else the environment.
 *
 * @throws RangeError for a value of the variable that is neither yes nor no: a typing mistake must
 * not switch protection off, nor leave a test suite writing to a table.
 */
export function isEnabled(enabled: boolean | undefined): boolean {
  const on = enabled ?? !disabledByEnvironment();
  if (!on) {
    warnOnce(
      'disabled',
      'MAYFLY_DISABLED',
      'Idempotency is switched off: methods run at every call and nothing is recorded',
    );
  }
  return on;
}

function disabledByEnvironment(): boolean {
  const value = process.env[VARIABLE] ?? '';
  if (value === '' || NO.test(value)) return false;
  if (YES.test(value)) return true;
  throw new RangeError(
    `Expected ${VARIABLE} to be 1, true, yes, on, 0, false, no, off or empty, got ${JSON.stringify(value)}`,
  );
}
