import fc from 'fast-check';
import type { OnExpiredClaim } from '../../../lib/store/idempotency-store.js';

/** What a method does when it is over. */
export type Ending = 'returns' | 'returns-for-retry' | 'throws' | 'throws-for-good';

/** One call of the method: where it is made, under which options, and what its method does. */
export interface CallerPlan {
  /** After how many choices it calls at the earliest. */
  readonly startsAfter: number;
  readonly process: number;
  readonly leaseMs: number;
  /** What is left of the invocation when the call begins; then the claim ends with it. */
  readonly remainingMs: number | undefined;
  readonly renewForMs: number;
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly onExpiredClaim: OnExpiredClaim;
  readonly onStoreUnavailable: 'throw' | 'run';
  readonly onCompletionFailure: 'return' | 'throw';
  /** How often the method awaits something before it is over. */
  readonly pauses: number;
  readonly ending: Ending;
}

/** One interleaving: the callers of a key, and what happens in which order. */
export interface Plan {
  readonly clockSkewMs: number;
  readonly callers: readonly CallerPlan[];
  /** What chance decides inside the engine: the pauses of callers that wait. */
  readonly jitter: number;
  /** Each picks one of the things that can happen at that point, and how; 0 is the most harmless. */
  readonly choices: readonly number[];
}

export const PROCESSES = 3;

/** Two bytes: which of the things that can happen, and how. */
const MAX_CHOICE = 0xffff;
const MAX_CHOICES = 90;

// The first value of each list is what shrinking goes to.
const callerPlan: fc.Arbitrary<CallerPlan> = fc.record({
  startsAfter: fc.constantFrom(0, 0, 10, 25),
  process: fc.nat(PROCESSES - 1),
  leaseMs: fc.constantFrom(1000, 1500, 3000),
  remainingMs: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 800, 2500),
  renewForMs: fc.constantFrom(3_600_000, 3_600_000, 0, 700, 2000),
  ttlMs: fc.constantFrom(60_000, 300, 2000),
  waitMs: fc.constantFrom(0, 0, 0, 400, 5000),
  onExpiredClaim: fc.constantFrom('run', 'run', 'run', 'reject'),
  onStoreUnavailable: fc.constantFrom('throw', 'throw', 'throw', 'run'),
  onCompletionFailure: fc.constantFrom('return', 'throw'),
  pauses: fc.constantFrom(0, 1, 2, 4, 8),
  ending: fc.constantFrom(
    'returns',
    'returns',
    'returns',
    'throws',
    'returns-for-retry',
    'throws-for-good',
  ),
});

/** Interleavings of so many callers. */
export function plans(callers: { readonly min: number; readonly max: number }): fc.Arbitrary<Plan> {
  return fc.record({
    clockSkewMs: fc.constantFrom(0, 200, 1000),
    callers: fc.array(callerPlan, { minLength: callers.min, maxLength: callers.max }),
    jitter: fc.nat(),
    choices: fc.array(fc.nat(MAX_CHOICE), { maxLength: MAX_CHOICES, size: 'max' }),
  });
}
