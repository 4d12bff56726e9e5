/** A class, as far as names and look-ups go. */
export interface AnyClass {
  readonly name: unknown;
  readonly prototype: object;
}

/** Finds the class that declares a decorated member; `self` is what the member was called on. */
export type FindClass = (self: unknown) => AnyClass | undefined;

const FALLBACK_METADATA_SYMBOL = Symbol.for('Symbol.metadata');

/**
 * Defines `Symbol.metadata` where the engine lacks it, under the name that esbuild, SWC and Babel
 * fall back to. TypeScript and they fill a class's metadata only if the symbol is there before the
 * class is.
 */
export function defineMetadataSymbol(): void {
  if ((Symbol as { metadata?: symbol }).metadata === undefined) {
    // Not an assignment: that would throw where `Symbol` is frozen. The look-up below copes.
    Reflect.defineProperty(Symbol, 'metadata', { value: FALLBACK_METADATA_SYMBOL });
  }
}

/** The class's own metadata object, as standard decorators share it in `context.metadata`. */
export function ownMetadataObject(declaring: object): object | undefined {
  const wellKnown = (Symbol as { metadata?: symbol }).metadata ?? FALLBACK_METADATA_SYMBOL;
  const own = (symbol: symbol): unknown =>
    Object.getOwnPropertyDescriptor(declaring, symbol)?.value;
  return asObject(own(wellKnown)) ?? asObject(own(FALLBACK_METADATA_SYMBOL));
}

/** Legacy decorators are given the class: the constructor for static members, else its prototype. */
export function classOfTarget(target: object): AnyClass | undefined {
  return typeof target === 'function' ? target : ownConstructor(target);
}

/**
 * Standard decorators are not: the class does not exist yet. It is the one in the chain of `self`
 * whose own metadata object is that of the decorator's context. Never a subclass, and never a class
 * that the method was merely copied to: the namespace must not depend on who calls first.
 */
export function findByMetadata(metadata: object): FindClass {
  return (self) => {
    for (const holder of chainOf(self)) {
      const candidate = classOfTarget(holder);
      if (candidate !== undefined && ownMetadataObject(candidate) === metadata) return candidate;
    }
    return undefined;
  };
}

/** For compilers that give the context no metadata: the class that holds the wrapper as its own. */
export function findByOwner(name: string | symbol, wrapper: () => unknown): FindClass {
  return (self) => {
    for (const holder of chainOf(self)) {
      if (Object.getOwnPropertyDescriptor(holder, name)?.value === wrapper()) {
        return classOfTarget(holder);
      }
    }
    return undefined;
  };
}

/** `self` and its prototypes; for a class, the class and its superclasses. */
export function* chainOf(self: unknown): Generator<object> {
  for (let holder = asObject(self); holder !== undefined; holder = prototypeOf(holder)) {
    yield holder;
  }
}

/** The constructor whose prototype this is. */
export function ownConstructor(prototype: object): AnyClass | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof value === 'function' ? value : undefined;
}

export function prototypeOf(value: object): object | undefined {
  return asObject(Object.getPrototypeOf(value));
}

function asObject(value: unknown): object | undefined {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
    ? value
    : undefined;
}
