import type { LambdaContextLike } from '../configuration/options.js';

/** The Lambda context of a call, and how many arguments come before it. */
export interface CallContext {
  readonly context: LambdaContextLike | undefined;
  /** The arguments that the default key takes in. */
  readonly argumentCount: number;
}

/**
 * The context that the option names, else the first argument that looks like one. A `context`
 * function that throws gives none: the call then has the default lease.
 */
export function contextOf(option: unknown, self: unknown, args: readonly unknown[]): CallContext {
  const context = option === undefined ? args.find(isContext) : named(option, self, args);
  const position = context === undefined ? -1 : args.indexOf(context);
  return { context, argumentCount: position === -1 ? args.length : position };
}

function named(
  option: unknown,
  self: unknown,
  args: readonly unknown[],
): LambdaContextLike | undefined {
  let context = option;
  if (typeof option === 'function') {
    try {
      context = Reflect.apply(option, self, args) as unknown;
    } catch {
      return undefined;
    }
  }
  return isContext(context) ? context : undefined;
}

function isContext(value: unknown): value is LambdaContextLike {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return typeof (value as Partial<LambdaContextLike>).getRemainingTimeInMillis === 'function';
  } catch {
    return false; // An argument that is a proxy and refuses unknown members.
  }
}
