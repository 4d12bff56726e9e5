import type { LambdaContext } from './contestants/contestant.js';

/** Of an invocation that has half a minute left: a claim tied to it needs no renewals. */
export const context: LambdaContext = { getRemainingTimeInMillis: () => 30_000 };
