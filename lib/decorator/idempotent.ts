import type { MethodOptions } from '../configuration/options.js';
import { protect } from '../execution/protected-call.js';
import type { AnyCodec, NamedCodec } from '../results/json-result.js';
import { copyOfOptions } from './copy-of-options.js';
import { fileDeclaration } from './declared-functions.js';
import type { ArgumentsOf, AsyncMethod, IdempotentDecorator, ResultOf } from './decorator-types.js';
import {
  classOfTarget,
  defineMetadataSymbol,
  findByMetadata,
  findByOwner,
} from './declaring-class.js';
import { memberLabel } from './derived-namespace.js';
import { MemberDeclaration } from './member-declaration.js';
import { defineOwnMetadata, OPTIONS, STATIC_OPTIONS } from './own-metadata.js';
import {
  checkFunction,
  checkReturnType,
  legacyProperty,
  misplaced,
  unknownDialect,
  withoutParentheses,
} from './placement.js';
import { wrapMethod, type AnyFunction } from './wrap-method.js';

// Before any decorated class is defined, since its compiler looks for the symbol then.
defineMetadataSymbol();

const DECORATOR = '@Idempotent';

/** The context of a standard decorator, whatever it sits on. */
interface AnyContext {
  readonly kind: string;
  readonly name: string | symbol;
  readonly static?: boolean;
  /** Absent where the compiler or the time of its start know no `Symbol.metadata`. */
  readonly metadata?: object;
}

/**
 * Makes a method safe to retry: the first call with a key claims it in the store, runs the method
 * and records its result; every later call with the same key gets that result without a run, until
 * `ttl` is over. A call that throws frees the key, and the next one runs again.
 *
 * For TypeScript's legacy decorators (`experimentalDecorators`) and standard ones alike: instance,
 * static and symbol-named methods, and with standard decorators `#private` methods and
 * arrow-function properties too. The types come from the method: in `key: e => e.orderId` the `e`
 * is its own parameter. The decorated method keeps `this`, its arguments, `name`, `length` and
 * metadata; it must return a promise, and what that resolves to must survive JSON: a Date, Map, Set,
 * bigint, symbol or method in it is a compile error that names the place, unless the options name a
 * codec (`structuredCodec` keeps all but methods, `jsonCodec` says that plain JSON will do).
 *
 * @param options See {@link MethodOptions}; all have defaults.
 * @throws TypeError or RangeError, when the class is defined, for wrong options and for anything
 * that is no method (a getter, a class, a generator, a streaming handler).
 * @example
 * ```ts
 * class OrderHandler {
 *   @Idempotent({ key: e => e.orderId, ttl: 3600, namespace: 'orders' })
 *   async handle(event: OrderEvent): Promise<{ status: string }> {
 *     await this.orders.place(event);
 *     return { status: 'placed' };
 *   }
 * }
 * ```
 */
export function Idempotent<This, M extends AsyncMethod, C extends AnyCodec | undefined = undefined>(
  options?: MethodOptions<This, ArgumentsOf<M>, ResultOf<M>> & NamedCodec<C>,
): IdempotentDecorator<This, M, C>;
export function Idempotent(...given: readonly unknown[]): (...args: readonly unknown[]) => unknown {
  const [options] = given;
  if (given.length > 1 || typeof options === 'function') {
    throw withoutParentheses(DECORATOR, `${DECORATOR} on ${labelOfBareUse(given)}`);
  }
  return (...args) =>
    isContext(args[1])
      ? decorateStandard(args[0], args[1], options)
      : decorateLegacy(args, options);
}

function isContext(value: unknown): value is AnyContext {
  return typeof value === 'object' && value !== null;
}

/** Standard decorators: a method is replaced by its wrapper, a property's initial value by its own. */
function decorateStandard(value: unknown, context: AnyContext, options: unknown): unknown {
  const { name, kind, metadata, static: isStatic = false } = context;
  if (kind !== 'method' && kind !== 'field') throw misplacedKind(kind, name);

  let replacement: AnyFunction | undefined;
  const declaration = new MemberDeclaration(
    {
      name,
      isStatic,
      findClass: metadata ? findByMetadata(metadata) : findByOwner(name, () => replacement),
      home: metadata,
    },
    copyOfOptions(options),
  );
  if (kind === 'method') checkFunction(value, declaration.where);
  const wrap = wrapperFor(declaration);
  if (metadata !== undefined) {
    defineOwnMetadata(isStatic ? STATIC_OPTIONS : OPTIONS, declaration.options, metadata, name);
  }
  if (kind === 'method') {
    replacement = wrap(value as AnyFunction);
    return replacement;
  }
  return function (this: unknown, initialValue: unknown): AnyFunction {
    declaration.meet(this);
    checkFunction(initialValue, declaration.where);
    const wrapper = wrap(initialValue);
    // The arrow function gets the property's name as the language has it, but not from TypeScript.
    if (wrapper.name === '') {
      Object.defineProperty(wrapper, 'name', { value: memberLabel(name, false) });
    }
    return wrapper;
  };
}

/** Legacy decorators: the method is replaced in its descriptor. */
function decorateLegacy(args: readonly unknown[], options: unknown): unknown {
  const [target, name, descriptor] = args;
  if ((typeof target !== 'object' && typeof target !== 'function') || target === null) {
    throw unknownDialect(args, DECORATOR);
  }
  if (typeof target === 'function' && args.length === 1) throw misplacedKind('class', target.name);
  if (typeof descriptor === 'number') throw misplacedKind('parameter', name);
  if (typeof name !== 'string' && typeof name !== 'symbol') throw unknownDialect(args, DECORATOR);

  const declaring = classOfTarget(target);
  const declaration = new MemberDeclaration(
    {
      name,
      isStatic: typeof target === 'function',
      findClass: () => declaring,
      home: target,
    },
    copyOfOptions(options),
  );
  const { where } = declaration;
  // Babel's legacy mode hands out a descriptor with an `initializer`, TypeScript and esbuild none.
  if (descriptor === undefined || hasOwn(descriptor, 'initializer')) throw legacyProperty(where);
  if (hasOwn(descriptor, 'get') || hasOwn(descriptor, 'set')) throw misplaced('an accessor', where);
  if (!hasOwn(descriptor, 'value')) throw unknownDialect(args, where);
  const method: unknown = descriptor.value;
  checkFunction(method, where);
  checkReturnType(target, name, where);

  // In place as well as returned: composed decorators (Nest's `applyDecorators`) drop the return.
  descriptor.value = wrapperFor(declaration)(method);
  defineOwnMetadata(OPTIONS, declaration.options, target, name);
  return descriptor;
}

/** Checks the options, once per declaration, and returns what wraps its functions. */
function wrapperFor(declaration: MemberDeclaration): (method: AnyFunction) => AnyFunction {
  const call = protect(declaration);
  declaration.checkName();
  return (method) => {
    const wrapper = wrapMethod(method, (self, args, run) => {
      declaration.meet(self);
      return call(self, args, run);
    });
    fileDeclaration(wrapper, declaration);
    return wrapper;
  };
}

function misplacedKind(kind: string, name: unknown): TypeError {
  const article = /^[aeiou]/u.test(kind) ? 'an' : 'a';
  const advice =
    kind === 'class' ? 'for defaults of a class there is @IdempotencyDefaults' : undefined;
  return misplaced(`${article} ${kind}`, `${DECORATOR} on ${labelOf(name)}`, advice);
}

function labelOfBareUse([first, second]: readonly unknown[]): string {
  if (isContext(second)) return labelOf(second.name);
  return labelOf(second ?? (typeof first === 'function' ? first.name : undefined));
}

function labelOf(name: unknown): string {
  return typeof name === 'string' || typeof name === 'symbol'
    ? memberLabel(name, false)
    : 'the constructor';
}

function hasOwn<K extends string>(value: unknown, key: K): value is Record<K, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}
