import type { DefaultOptions, SharedOptions, StoreOrTable } from '../configuration/options.js';
import { validateDefaults } from '../configuration/validate-options.js';
import type { IdempotencyStore } from '../store/idempotency-store.js';
import { fileClassDefaults } from './class-defaults.js';
import { defineMetadataSymbol, type AnyClass } from './declaring-class.js';
import { memberLabel } from './derived-namespace.js';
import { withoutParentheses } from './placement.js';

defineMetadataSymbol();

const DECORATOR = '@IdempotencyDefaults';

/**
 * {@link DefaultOptions} of a class: `store` may be a function of its instances (for static methods
 * of the class).
 */
export type ClassDefaults<This> = SharedOptions &
  StoreOrTable<IdempotencyStore | ((self: This) => IdempotencyStore)>;

/** The decorator that `IdempotencyDefaults` makes, for both dialects. */
export type IdempotencyDefaultsDecorator<This> = (
  target: abstract new (...args: never) => This,
  context?: ClassDecoratorContext,
) => void;

/**
 * Sets defaults for the decorated methods of a class and its subclasses; a subclass's own win, and a
 * method's own options win over both. `namespace` alone is not inherited: it replaces the class's
 * name in the namespaces of the methods that this class itself declares.
 *
 * @throws TypeError or RangeError, when the class is defined, for wrong options and for anything
 * that is no class.
 * @example
 * ```ts
 * @IdempotencyDefaults({ ttl: 86_400, namespace: 'orders' })
 * class OrderService {
 *   @Idempotent({ key: order => order.id }) // its namespace is orders.place
 *   async place(order: Order): Promise<Receipt> { … }
 * }
 * ```
 */
export function IdempotencyDefaults<This>(
  options: ClassDefaults<This>,
): IdempotencyDefaultsDecorator<This>;
export function IdempotencyDefaults(
  ...given: readonly unknown[]
): (...args: readonly unknown[]) => void {
  const [options] = given;
  if (given.length > 1 || typeof options === 'function') {
    const name = typeof options === 'function' ? options.name : 'a member';
    throw withoutParentheses(DECORATOR, `${DECORATOR} on ${name}`);
  }
  return (...args) => {
    const [target, context] = args;
    if (!isClassPlacement(args)) {
      throw new TypeError(`Expected a class; methods have @Idempotent (${labelOf(args)})`);
    }
    const declaring = target as AnyClass;
    validateDefaults(options, `${DECORATOR} on ${String(declaring.name)}`);
    const metadata = (context as ClassDecoratorContext | undefined)?.metadata as object | undefined;
    fileClassDefaults(declaring, metadata, Object.freeze({ ...(options as DefaultOptions) }));
  };
}

function labelOf([target, second]: readonly unknown[]): string {
  const name = (second as { name?: unknown } | null | undefined)?.name ?? second ?? target;
  return typeof name === 'string' || typeof name === 'symbol'
    ? `${DECORATOR} on ${memberLabel(name, false)}`
    : DECORATOR;
}

/** Legacy decorators call with the class alone, standard ones with a context of kind `class`. */
function isClassPlacement([target, context]: readonly unknown[]): boolean {
  if (typeof target !== 'function') return false;
  if (context === undefined) return true;
  return (
    typeof context === 'object' && context !== null && 'kind' in context && context.kind === 'class'
  );
}
