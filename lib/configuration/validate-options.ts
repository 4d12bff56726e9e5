import { wrongOption } from '../errors/wrong-option.js';
import { checkNamespace } from '../keys/namespace.js';
import { isJsonCodec, JSON_CODEC_NAME } from '../results/json-codec.js';
import type { ResultCodec } from '../results/result-codec.js';
import { hasMethods, isStoreShaped } from '../store/option-checks.js';
import type { DefaultOptions, MethodOptions } from './options.js';

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
type Checks<Name extends string> = Readonly<Record<Name, Check>>;

type DefaultOnly = 'clock' | 'enabled';
type Shared = Exclude<keyof DefaultOptions, DefaultOnly>;
type MethodOnly = Exclude<keyof MethodOptions<unknown, unknown[], unknown>, Shared>;

const aFunction = is('a function', isFunction);

const aCodec = is(
  'a codec: `name` (1 to 64 letters, digits, `.`, `_`, `-`), `encode` and `decode`',
  (value) => hasMethods(value, ['encode', 'decode']) && isCodecName(value['name']),
);

const aStore = is(
  'a store or a function that returns one',
  (value) => isFunction(value) || isStoreShaped(value),
);

const sharedChecks: Checks<Shared> = {
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
    aStore(value, name, where);
    const { prototype } = value as { readonly prototype?: unknown };
    if (isFunction(value) && isStoreShaped(prototype)) {
      throw new TypeError(
        `Expected \`${name}\` to be a store, got its class: make one with \`new\` (${where})`,
      );
    }
  },
  table: is("a table's name or ARN", (value) => typeof value === 'string' && value !== ''),
  onMissingKey: oneOf('throw', 'run'),
  onStoreUnavailable: oneOf('throw', 'run'),
  onCompletionFailure: oneOf('return', 'throw'),
  onExpiredClaim: oneOf('run', 'reject'),
  recordResultIf: aFunction,
  recordErrorIf: aFunction,
  codec: (value, name, where) => {
    aCodec(value, name, where);
    const codec = value as ResultCodec;
    // Records that name no encoding are JSON: another codec of that name could not be told apart.
    if (codec.name === JSON_CODEC_NAME && !isJsonCodec(codec)) {
      throw new TypeError(
        wrongOption(name, 'a codec with a name of its own', JSON_CODEC_NAME, where),
      );
    }
  },
};

const methodChecks: Checks<Shared | MethodOnly> = {
  ...sharedChecks,
  key: is(
    'a function of the arguments or a literal key',
    (value) => value !== null && typeof value !== 'boolean' && typeof value !== 'symbol',
  ),
  context: is(
    'a Lambda context or a function that returns one',
    (value) => isFunction(value) || hasMethods(value, ['getRemainingTimeInMillis']),
  ),
  fingerprint: aFunction,
  onReplay: aFunction,
};

/** @throws TypeError or RangeError that names the option, what was expected, what came and where. */
export function validateDefaults(options: unknown, where: string): void {
  validate(options, { ...sharedChecks, ...defaultOnlyChecks() }, where);
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

/** Not made before it is needed: bundles without {@link validateDefaults} leave it out. */
function defaultOnlyChecks(): Checks<DefaultOnly> {
  return {
    clock: is('a clock: `now()` and `setTimer(callback, delayMs)`', (value) =>
      hasMethods(value, ['now', 'setTimer']),
    ),
    enabled: is('a boolean', (value) => typeof value === 'boolean'),
  };
}

function validate(options: unknown, checks: Checks<string>, where: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(wrongOption('options', 'an object of options', options, where));
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
  const { store, table } = options as { store?: unknown; table?: unknown };
  if (store !== undefined && table !== undefined) {
    throw new TypeError(`Expected either \`store\` or \`table\`, got both (${where})`);
  }
}

function is(what: string, accepts: (value: unknown) => boolean): Check {
  return (value, name, where) => {
    if (!accepts(value)) throw new TypeError(wrongOption(name, what, value, where));
  };
}

function oneOf(...choices: readonly string[]): Check {
  const what = choices.map((choice) => `'${choice}'`).join(' or ');
  return is(what, (value) => choices.includes(value as string));
}

function duration(what: string, allowed: (seconds: number) => boolean): Check {
  const aNumber = is(what, (value) => typeof value === 'number');
  return (value, name, where) => {
    aNumber(value, name, where);
    const seconds = value as number;
    if (!allowed(seconds) || !Number.isFinite(seconds)) {
      throw new RangeError(wrongOption(name, what, seconds, where));
    }
    if (seconds > MAX_DURATION_SECONDS) {
      throw new RangeError(
        wrongOption(name, 'at most ten years in seconds (a duration, not a time)', seconds, where),
      );
    }
  };
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isCodecName(name: unknown): boolean {
  return typeof name === 'string' && CODEC_NAME.test(name);
}
