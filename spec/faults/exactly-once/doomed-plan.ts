import type { Attempt } from './order.js';

/** Where a worker dies. `sent`: the request is on its way. `replied`: its reply is not looked at. */
export const KILL_POINTS = [
  'before-claim',
  'claim-sent',
  'claim-replied',
  'method-begun',
  'write-deferred',
  'before-commit',
  'commit-sent',
  'commit-replied',
  'returned',
  /** From outside, at any moment. */
  'anywhere',
] as const;

export type KillPoint = (typeof KILL_POINTS)[number];

/** What a worker is told to do. */
export interface DoomedPlan extends Attempt {
  readonly endpoint: string;
  readonly point: KillPoint;
  /** Milliseconds between the sending and the death, or from the worker's start to its being killed. */
  readonly delayMs: number;
  /** The business write is made at once instead of with the record: what the audit has to find. */
  readonly plain: boolean;
}
