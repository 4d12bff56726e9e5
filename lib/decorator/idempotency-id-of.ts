import type { LambdaContextLike } from '../configuration/options.js';
import { callId } from '../execution/call-id.js';
import { declarationOf } from './declared-functions.js';
import type { ArgumentsOf, AsyncMethod } from './decorator-types.js';

/** The arguments of a method; a Lambda context at their end may be left out. */
export type IdentifyingArguments<A extends readonly unknown[]> = A extends readonly [
  ...infer Rest,
  LambdaContextLike,
]
  ? Readonly<A> | Readonly<Rest>
  : Readonly<A>;

/**
 * The id of the record that a call of a decorated method has, as `store.get` and `store.forget` take
 * it: for operators and tests. The method does not run and no store is touched; the method's `key`
 * function is called, under the defaults and `withIdempotency` overrides that hold here.
 *
 * Under Lambda a derived namespace begins with the name of the function: outside of it set
 * `AWS_LAMBDA_FUNCTION_NAME` to that name, or give the method an explicit `namespace`.
 *
 * @param method A method as `@Idempotent` left it on its class or instance (a static or private one,
 * too), or what `makeIdempotent` returned; not a bound copy, nor a wrapper of another decorator.
 * @param args The arguments of that call; without the Lambda context, where it is the last.
 * @param self What the method is called on: needed where `key` uses `this`, and with standard
 * decorators to derive the namespace while no call has told the class yet.
 * @throws TypeError for any other function; `IdempotencyKeyError` where the call has no usable key.
 * @example
 * ```ts
 * const id = idempotencyIdOf(handler.handle, [event], handler); // orders#o-1
 * console.log(await store.get(id));
 * await store.forget(id); // the next call runs again
 * ```
 */
export function idempotencyIdOf<M extends AsyncMethod>(
  method: M,
  args: IdentifyingArguments<ArgumentsOf<M>>,
  self?: unknown,
): string {
  const declaration = typeof method === 'function' ? declarationOf(method) : undefined;
  if (declaration === undefined) {
    throw new TypeError(
      'Expected a method that @Idempotent decorates or a function that makeIdempotent returned; a bound copy or a wrapper of another decorator is neither (idempotencyIdOf)',
    );
  }
  if (!Array.isArray(args)) {
    throw new TypeError('Expected the arguments of the call as an array (idempotencyIdOf)');
  }
  return callId(declaration, self, args);
}
