/** A function whose types do not matter here. */
export type AnyFunction = (this: unknown, ...args: readonly unknown[]) => unknown;

/** Runs one call: `run` calls the wrapped function with its own `this` and arguments. */
export type RunCall = (
  self: unknown,
  args: readonly unknown[],
  run: () => unknown,
) => Promise<unknown>;

const NOT_CARRIED: ReadonlySet<string | symbol> = new Set(['prototype', 'arguments', 'caller']);

/**
 * Makes the function that stands in for `method` and passes for it: `this`, all arguments, `name`,
 * `length`, own properties and the entries that decorators below have left in reflect-metadata.
 * Entries of decorators above go on the wrapper by themselves.
 *
 * `length` matters beyond looks: Lambda's runtime for Node.js 24 refuses a handler that declares
 * three parameters (a callback), those for 20 and 22 pass the callback along whatever it declares.
 */
export function wrapMethod(method: AnyFunction, call: RunCall): AnyFunction {
  // A method shorthand has no `prototype` and cannot be called with `new`, like what it replaces.
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it passes on whatever `this` it gets
  const { wrapper } = {
    wrapper(this: unknown, ...args: readonly unknown[]): unknown {
      return call(this, args, () => Reflect.apply(method, this, args));
    },
  };
  carryProperties(method, wrapper);
  carryMetadata(method, wrapper);
  return wrapper;
}

function carryProperties(from: AnyFunction, to: AnyFunction): void {
  for (const key of Reflect.ownKeys(from)) {
    const property = Reflect.getOwnPropertyDescriptor(from, key);
    if (property !== undefined && !NOT_CARRIED.has(key)) Reflect.defineProperty(to, key, property);
  }
}

/** What of reflect-metadata is used here; absent where the user has not loaded it. */
interface MetadataFunctions {
  readonly getOwnMetadataKeys?: (target: object) => unknown[];
  readonly getOwnMetadata?: (key: unknown, target: object) => unknown;
  readonly defineMetadata?: (key: unknown, value: unknown, target: object) => void;
}

function carryMetadata(from: AnyFunction, to: AnyFunction): void {
  const { getOwnMetadataKeys, getOwnMetadata, defineMetadata } = Reflect as MetadataFunctions;
  for (const key of getOwnMetadataKeys?.(from) ?? []) {
    defineMetadata?.(key, getOwnMetadata?.(key, from), to);
  }
}
