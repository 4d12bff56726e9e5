import { isIdempotencyError } from '../../../lib/errors/index.js';
import type { Outcome } from '../../../lib/execution/outcome.js';

/** What became of a call: its outcome's status, or the code or class of its error. */
export interface Settled {
  readonly what: string;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** A body that counts how often it is run, and calls whose errors are told apart by type. */
export class ObservedCalls {
  runs = 0;

  readonly body = (): string => {
    this.runs += 1;
    return 'done';
  };

  /** Never rejects, whatever `call` throws. */
  async settle(call: () => PromiseLike<Outcome<unknown>>): Promise<Settled> {
    try {
      const outcome = await call();
      return outcome.status === 'in-progress'
        ? { what: outcome.status }
        : { what: outcome.status, result: outcome.result };
    } catch (error) {
      return { what: typeOf(error), error };
    }
  }
}

/** The code of an error of ours, the class of one for wrong options; else `untyped`. */
export function typeOf(error: unknown): string {
  if (isIdempotencyError(error)) return error.code;
  try {
    // V8's own TypeErrors tell of a value that nobody looked at before it was used.
    const ours =
      error instanceof Error && /^(Expected|The `|No idempotency store)/.test(error.message);
    if (ours && error instanceof TypeError) return 'TypeError';
    if (ours && error instanceof RangeError) return 'RangeError';
    return `untyped: ${String(error)}`;
  } catch {
    return 'untyped';
  }
}
