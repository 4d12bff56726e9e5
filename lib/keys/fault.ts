import { IdempotencyKeyError } from '../errors/key-error.js';
import { nameOfThrown } from '../errors/name-of-thrown.js';

/** More levels of arrays and objects than events have, and less than half of what the stack holds. */
export const MAX_DEPTH = 500;

/** Why strings are refused. */
export const ILL_FORMED = 'is not well-formed UTF-16 (a surrogate stands alone)';

/** Paths in messages end here: a name can be as long as its sender likes. */
const MAX_PATH_LENGTH = 200;

/**
 * One refused value, on its way out of a walk through arrays and objects. The path is collected
 * while the calls unwind, so that a walk without a fault pays nothing for it.
 */
export class Fault extends Error {
  private path: (string | number)[] = [];
  private reason: string;
  readonly missing: boolean;
  /** The object at which the walk gave up for depth. */
  private readonly innermost: object | undefined;

  constructor(
    reason: string,
    details: {
      readonly missing?: boolean;
      readonly innermost?: object;
      readonly cause?: unknown;
    } = {},
  ) {
    super(reason, 'cause' in details ? { cause: details.cause } : undefined);
    this.reason = reason;
    this.missing = details.missing ?? false;
    this.innermost = details.innermost;
  }

  /** The fault of an object that lies too deep. */
  static tooDeep(innermost: object): Fault {
    return new Fault(`is nested more than ${String(MAX_DEPTH)} levels deep`, { innermost });
  }

  /** Notes that the fault lies in `member` of `container`. */
  leave(container: object, member: string | number): void {
    this.path.push(member);
    if (container === this.innermost) {
      this.reason = 'contains itself';
      this.path = [];
    }
  }

  /** `name` is what the message calls the walk's root: `payload` gives `payload.items[2].id`. */
  toKeyError(name: string, method: string | undefined): IdempotencyKeyError {
    const path = this.path.reduceRight<string>((text, member) => text + segment(member), name);
    const shown = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
    return new IdempotencyKeyError(`\`${shown.toWellFormed()}\` ${this.reason}`, {
      missing: this.missing,
      cause: this.cause,
      ...(method === undefined ? {} : { method }),
    });
  }
}

function segment(member: string | number): string {
  if (typeof member === 'number') return `[${String(member)}]`;
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(member) ? `.${member}` : `[${JSON.stringify(member)}]`;
}

/** What a walk throws on after an error in `member` of `container`. */
export function faultIn(container: object, member: string | number, error: unknown): Fault {
  const fault = asFault(error);
  fault.leave(container, member);
  return fault;
}

/** An error that is no fault of ours comes from a getter, from `toJSON`, or from the stack's end. */
export function asFault(error: unknown): Fault {
  if (isFault(error)) return error;
  return new Fault(`could not be read: ${nameOfThrown(error)}`, { cause: error });
}

function isFault(error: unknown): error is Fault {
  try {
    return error instanceof Fault;
  } catch {
    return false; // A proxy that throws when it is asked for its prototype.
  }
}
