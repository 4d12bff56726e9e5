import { wrongOption } from '../errors/wrong-option.js';
import { checkNamespace } from '../keys/namespace.js';
import { isJsonCodec, JSON_CODEC_NAME } from '../results/json-codec.js';
import { isStoreShaped } from '../store/option-checks.js';
import type { DefaultOptions } from './options.js';

/*
 * Options are checked once, where they are given: a wrong one is the programmer's mistake and
 * shows when the class is defined, not when the first customer calls.
 */

/** Ten years. Anything longer is taken for a point in time or for milliseconds. */
const MAX_DURATION_SECONDS = 10 * 365.25 * 24 * 3600;

/** The shortest claim: below it, clocks and networks decide who runs. */
const MIN_LEASE_SECONDS = 1;

const CODEC_NAME = /^[\w.-]{1,64}$/;

type Check = (value: unknown, name: string, where: string) => void;

const defaultChecks: Readonly<Record<keyof DefaultOptions, Check>> = {
  ttl: duration('a positive number of seconds', (seconds) => seconds > 0),
  lease: duration(
    `a number of seconds of at least ${String(MIN_LEASE_SECONDS)}`,
    (seconds) => seconds >= MIN_LEASE_SECONDS,
  ),
  renewFor: duration('a number of seconds, 0 or more', (seconds) => seconds >= 0),
  wait: duration('a number of seconds, 0 or more', (seconds) => seconds >= 0),
  namespace: (value, _name, where) => {
    checkNamespace(value, where);
  },
  store: (value, name, where) => {
    if (typeof value !== 'function' && !isStoreShaped(value)) {
      throw expected(name, 'a store or a function that returns one', value, where);
    }
  },
  table: (value, name, where) => {
    if (typeof value !== 'string' || value === '') {
      throw expected(name, "a table's name or ARN", value, where);
    }
  },
  onMissingKey: oneOf('throw', 'run'),
  onStoreUnavailable: oneOf('throw', 'run'),
  onCompletionFailure: oneOf('return', 'throw'),
  onExpiredClaim: oneOf('run', 'reject'),
  recordResultIf: functionCheck,
  recordErrorIf: functionCheck,
  codec: (value, name, where) => {
    if (!hasMethods(value, 'encode', 'decode') || !isCodecName(value['name'])) {
      throw expected(
        name,
        'a codec: `name` (1 to 64 letters, digits, `.`, `_`, `-`), `encode` and `decode`',
        value,
        where,
      );
    }
    // Records that name no encoding are JSON: another codec of that name could not be told apart.
    if (value['name'] === JSON_CODEC_NAME && !isJsonCodec(value)) {
      throw expected(name, `a codec with a name of its own`, JSON_CODEC_NAME, where);
    }
  },
  clock: (value, name, where) => {
    if (!hasMethods(value, 'now', 'setTimer')) {
      throw expected(name, 'a clock: `now()` and `setTimer(callback, delayMs)`', value, where);
    }
  },
  enabled: (value, name, where) => {
    if (typeof value !== 'boolean') throw expected(name, 'a boolean', value, where);
  },
};

const methodChecks: Readonly<Record<string, Check>> = {
  ...withoutDefaultsOnly(defaultChecks),
  key: (value, name, where) => {
    if (value === null || typeof value === 'boolean' || typeof value === 'symbol') {
      throw expected(name, 'a function of the arguments or a literal key', value, where);
    }
  },
  context: (value, name, where) => {
    if (typeof value !== 'function' && !hasMethods(value, 'getRemainingTimeInMillis')) {
      throw expected(name, 'a Lambda context or a function that returns one', value, where);
    }
  },
  fingerprint: functionCheck,
  onReplay: functionCheck,
};

/** @throws TypeError or RangeError that names the option, what was expected, what came and where. */
export function validateDefaults(options: unknown, where: string): void {
  validate(options, defaultChecks, where);
  if ((options as DefaultOptions).namespace === '') {
    throw new RangeError(
      `Expected \`namespace\` as a default to name something; '' (the bare key) is for single methods (${where})`,
    );
  }
}

/** @throws TypeError or RangeError that names the option, what was expected, what came and where. */
export function validateMethodOptions(options: unknown, where: string): void {
  validate(options, methodChecks, where);
}

function validate(options: unknown, checks: Readonly<Record<string, Check>>, where: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw expected('options', 'an object of options', options, where);
  }
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      throw new TypeError(
        `Expected one of the options ${Object.keys(checks).join(', ')}, got \`${name}\` (${where})`,
      );
    }
    // `undefined` means "not given", as in an object that is put together conditionally.
    if (value !== undefined) check(value, name, where);
  }
  const { store, table } = options as DefaultOptions;
  if (store !== undefined && table !== undefined) {
    throw new TypeError(`Expected either \`store\` or \`table\`, got both (${where})`);
  }
}

function duration(what: string, allowed: (seconds: number) => boolean): Check {
  return (value, name, where) => {
    if (typeof value !== 'number') throw expected(name, what, value, where);
    if (!allowed(value) || !Number.isFinite(value)) {
      throw new RangeError(wrongOption(name, what, value, where));
    }
    if (value > MAX_DURATION_SECONDS) {
      throw new RangeError(
        wrongOption(name, 'at most ten years in seconds (a duration, not a time)', value, where),
      );
    }
  };
}

function oneOf(...choices: readonly string[]): Check {
  return (value, name, where) => {
    if (!choices.includes(value as string)) {
      throw expected(name, choices.map((choice) => `'${choice}'`).join(' or '), value, where);
    }
  };
}

function isCodecName(name: unknown): boolean {
  return typeof name === 'string' && CODEC_NAME.test(name);
}

function functionCheck(value: unknown, name: string, where: string): void {
  if (typeof value !== 'function') throw expected(name, 'a function', value, where);
}

function hasMethods(value: unknown, ...names: readonly string[]): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function')
  );
}

function withoutDefaultsOnly(
  checks: Readonly<Record<keyof DefaultOptions, Check>>,
): Omit<typeof checks, 'clock' | 'enabled'> {
  const { clock, enabled, ...rest } = checks;
  return rest;
}

function expected(name: string, what: string, value: unknown, where: string): TypeError {
  return new TypeError(wrongOption(name, what, value, where));
}
