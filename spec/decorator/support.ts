import type { WarningCode } from '../../lib/configuration/warnings.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import type { ClaimOutcome, ClaimRequest } from '../../lib/store/idempotency-store.js';

/** Which decorators the specs are compiled with, as told by what a decorator is handed. */
export function dialect(): 'legacy' | 'standard' {
  let seen: 'legacy' | 'standard' | undefined;
  const probe = (...args: readonly unknown[]): void => {
    seen = typeof args[1] === 'object' ? 'standard' : 'legacy';
  };
  class Probed {
    // The probe takes the arguments of either dialect.
    @probe
    method(): void {
      return;
    }
  }
  Probed;
  if (seen === undefined) throw new Error('The decorator did not run');
  return seen;
}

/** A store that remembers the id of every claim. */
export class IdStore extends MemoryStore {
  readonly ids: string[] = [];

  override claim(request: ClaimRequest): Promise<ClaimOutcome> {
    this.ids.push(request.id);
    return super.claim(request);
  }
}

export interface SeenWarning {
  readonly code: WarningCode;
  readonly message: string;
}

/** The process warnings given while `run` runs; nothing is printed. */
export async function warningsDuring(run: () => unknown): Promise<readonly SeenWarning[]> {
  const seen: SeenWarning[] = [];
  const original = process.emitWarning;
  process.emitWarning = ((message: string, options: { code: WarningCode }) => {
    seen.push({ code: options.code, message });
  }) as typeof process.emitWarning;
  try {
    await run();
  } finally {
    process.emitWarning = original;
  }
  return seen;
}

/** The codes alone. */
export async function warningCodesDuring(run: () => unknown): Promise<readonly WarningCode[]> {
  return (await warningsDuring(run)).map(({ code }) => code);
}
