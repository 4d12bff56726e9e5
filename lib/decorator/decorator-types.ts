import type { IfJson } from '../results/json-result.js';

/**
 * A method as the decorators and the wrapper take it: anything that returns a promise. Overloads and
 * generics keep their own types; this is only the bound they are checked against.
 */
// `any` in the arguments alone lets every argument list through; `unknown` would admit none.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AsyncMethod = (...args: any[]) => PromiseLike<unknown>;

/** The arguments of a method. */
export type ArgumentsOf<M extends AsyncMethod> = Parameters<M>;

/** What the promise of a method resolves to. */
export type ResultOf<M extends AsyncMethod> = Awaited<ReturnType<M>>;

/**
 * The descriptor of a method, of which only the value counts. TypeScript's `TypedPropertyDescriptor`
 * has a setter too, and with it a decorator kept in a variable would fit no method at all.
 */
export interface MethodDescriptor<M extends AsyncMethod> {
  readonly value?: M;
}

/**
 * What a compiler hands to a method decorator: three arguments with legacy decorators
 * (`experimentalDecorators`), two with standard (TC39) ones.
 *
 * `This` is the class (for a static member its constructor), `M` the method.
 */
export type DecoratorArguments<This, M extends AsyncMethod> =
  | [target: This, name: string | symbol, descriptor: MethodDescriptor<M>]
  | [method: M, context: ClassMethodDecoratorContext<This, M>]
  | [initialValue: undefined, context: ClassFieldDecoratorContext<This, M>];

/**
 * The decorator that `Idempotent` makes, for both dialects; `C` is the codec that its options name.
 *
 * It is one call signature over a union of argument lists, since that is what lets the compiler take
 * `This` and `M` from the decorated method while it checks the options. With two signatures it
 * resolves the options before it has chosen one, and the `e` of `key: e => e.orderId` is `any`.
 *
 * What it returns is `any`: each dialect checks it against its own, a descriptor, a method or an
 * initializer. A result that JSON cannot carry makes it something that is none of them, so that the
 * compiler's error names the place: `NeedsCodec<"result.list[].when is a Date">`. Said in the
 * arguments, it would be at the end of a long text about a union of lists.
 */
export type IdempotentDecorator<This, M extends AsyncMethod, C = undefined> = (
  ...args: DecoratorArguments<This, M>
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
) => IfJson<ResultOf<M>, C, any>;
