import type { MethodOptions } from '../configuration/options.js';
import type { AnyMethodOptions, Declaration } from '../execution/declaration.js';
import { protect } from '../execution/protected-call.js';
import { keyOfArguments } from '../keys/default-key.js';
import { encodeNamePart } from '../keys/namespace.js';
import type { AnyCodec, IfJson, NamedCodec } from '../results/json-result.js';
import { copyOfOptions } from './copy-of-options.js';
import { fileDeclaration } from './declared-functions.js';
import type { AsyncMethod, ResultOf } from './decorator-types.js';
import { fileDerivedNamespace, nothingToDeriveFrom, warnIfMinified } from './derived-namespace.js';
import { checkFunction } from './placement.js';
import { wrapMethod } from './wrap-method.js';

/**
 * {@link Idempotent} for a plain function. The returned function keeps the type, `this`, arguments,
 * `name`, `length` and properties of `fn`; like a method's, its result comes as a promise.
 *
 * The namespace is the function's name, so an unnamed one needs the option `namespace`.
 *
 * @param options See {@link MethodOptions}; all have defaults.
 * @throws TypeError or RangeError for wrong options, for an unnamed function without `namespace`,
 * and for anything that is no function whose result can be recorded (a class, a generator, a
 * streaming handler).
 * @example
 * ```ts
 * const charge = makeIdempotent(
 *   async (order: Order) => payments.charge(order),
 *   { key: order => order.id, namespace: 'charge' },
 * );
 * ```
 */
export function makeIdempotent<F extends AsyncMethod, C extends AnyCodec | undefined = undefined>(
  fn: F & IfJson<ResultOf<F>, C>,
  options?: MethodOptions<ThisParameterType<F>, Parameters<F>, ResultOf<F>> & NamedCodec<C>,
): F {
  const name = nameOf(fn);
  checkFunction(fn, whereOf(name));
  const declaration = new FunctionDeclaration(name, copyOfOptions(options));
  const call = protect(declaration);
  if (name === '' && declaration.options.namespace === undefined) {
    throw nothingToDeriveFrom('the function has no name', declaration.where);
  }
  const wrapper = wrapMethod(fn, call);
  fileDeclaration(wrapper, declaration);
  return wrapper as unknown as F;
}

/** What {@link makeIdempotent} fixes: a function has a name and no class. */
class FunctionDeclaration implements Declaration {
  readonly method: string;
  readonly methodPart: string;
  readonly where: string;
  readonly options: AnyMethodOptions;
  readonly #name: string;

  constructor(name: string, options: AnyMethodOptions) {
    this.#name = name;
    // An unnamed function goes by its namespace, which it has to have.
    const label = name === '' ? textOf(options.namespace) : name;
    this.method = label === '' ? 'anonymous function' : label;
    this.methodPart = encodeNamePart(name);
    this.where = whereOf(label);
    this.options = options;
  }

  deriveNamespace(): string {
    warnIfMinified(this.#name, 'function', this.where);
    fileDerivedNamespace(this.methodPart, this, this.where);
    return this.methodPart;
  }

  classDefaults(): readonly [] {
    return [];
  }

  classNamespace(): undefined {
    return undefined;
  }

  defaultKey(args: readonly unknown[]): string {
    return keyOfArguments(args, this.method);
  }
}

function nameOf(fn: unknown): string {
  const name = typeof fn === 'function' ? (fn.name as unknown) : undefined;
  return typeof name === 'string' ? name : '';
}

/** The option as given: nobody has checked it yet. */
function textOf(namespace: unknown): string {
  return typeof namespace === 'string' ? namespace : '';
}

function whereOf(name: string): string {
  return `makeIdempotent(${name})`;
}
