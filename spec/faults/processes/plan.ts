/** What a worker is told to do. */
export interface WorkerPlan {
  readonly endpoint: string;
  readonly table: string;
  /** The effects log. */
  readonly journal: string;
  readonly keys: number;
  readonly seed: number;
  /** When the hammering began and ends, in epoch milliseconds. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** A fault for the audit to find: the worker runs whatever its claim comes to. */
  readonly ignoresClaims: boolean;
}

export const LEASE_SECONDS = 1;
export const CLOCK_SKEW_SECONDS = 0.1;

export const keyOf = (number: number): string => `order-${String(number)}`;
