import type { MethodOptions } from '../configuration/options.js';
import { validateMethodOptions } from '../configuration/validate-options.js';
import { keyOfPayload } from '../keys/default-key.js';
import type { AnyCodec, IfJson, NamedCodec } from '../results/json-result.js';
import type { AnyMethodOptions, Declaration } from './declaration.js';
import type { Outcome } from './outcome.js';
import { protectedCall, type ProtectedCall } from './protected-call.js';

/** Options of `runIdempotent`: those of a method whose only argument is the payload. */
export type RunOptions<P, R> = MethodOptions<undefined, [payload: P], R>;

/**
 * Runs `fn` once per key and says what became of the call instead of throwing when another one is
 * in progress: the functional form of `@Idempotent`.
 *
 * The namespace is empty unless the option `namespace` sets one: the record's id is then the bare
 * key, which is the form that the Elixir package `mayfly_aws` shares. Without the option `key` the
 * key is the SHA-256 of the payload's canonical JSON (RFC 8785).
 *
 * Keep the options in a constant: they are checked and put together once per object, and again
 * when its members have changed.
 *
 * @returns `executed` with the result of this run, `replayed` with a recorded one, or `in-progress`.
 * @throws What `fn` throws, the same object, after the key was freed; or an `IdempotencyError`.
 * @throws TypeError or RangeError for wrong options.
 * @example
 * ```ts
 * const outcome = await runIdempotent(order, (o) => payments.charge(o), { key: (o) => o.id });
 * if (outcome.status === 'in-progress') return retryAfter(outcome.retryAfterMs);
 * return outcome.result;
 * ```
 */
export async function runIdempotent<P, R, C extends AnyCodec | undefined = undefined>(
  payload: P,
  fn: ((payload: P) => R | PromiseLike<R>) & IfJson<R, C>,
  options: RunOptions<P, R> & NamedCodec<C> = NO_OPTIONS,
): Promise<Outcome<R>> {
  if (typeof fn !== 'function') {
    throw new TypeError(`Expected \`fn\` to be a function, got ${typeof fn} (runIdempotent)`);
  }
  const outcome = await callFor(options)(undefined, [payload], () => fn(payload));
  if (outcome.status !== 'in-progress') return outcome as Outcome<R>;
  const { status, until, retryAfterMs } = outcome;
  return { status, until, retryAfterMs };
}

const NO_OPTIONS = {};

interface KeptCall {
  readonly call: ProtectedCall;
  readonly options: AnyMethodOptions;
}

const calls = new WeakMap<object, KeptCall>();

/** An options object that is reused with another key must not run under the former one. */
function callFor(options: AnyMethodOptions): ProtectedCall {
  const kept = calls.get(options);
  if (kept !== undefined && haveEqualMembers(options, kept.options)) return kept.call;
  // Checked before it is copied: a copy of what is no object of options would pass for one.
  validateMethodOptions(options, declarationOf(options).where);
  const copy = { ...options };
  const call = protectedCall(declarationOf(copy));
  calls.set(options, { call, options: copy });
  return call;
}

function haveEqualMembers(one: object, other: object): boolean {
  const names = Object.keys(one) as (keyof typeof one)[];
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}

function declarationOf(options: AnyMethodOptions): Declaration {
  // Not checked yet: anything may be in there.
  const { namespace } = Object(options) as { namespace?: unknown };
  const method =
    typeof namespace === 'string' && namespace !== ''
      ? `runIdempotent(${namespace})`
      : 'runIdempotent';
  return {
    where: method,
    method,
    options,
    methodPart: '',
    deriveNamespace: () => '',
    classDefaults: () => [],
    classNamespace: () => undefined,
    defaultKey: ([payload]) => keyOfPayload(payload, method),
  };
}
