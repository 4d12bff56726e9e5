import { EXTENTS, type Extent, type Fault } from './faults.js';

/*
 * What the protocol promises for every fault of every step, as DESIGN and the README have it; one
 * column per extent, in their order:
 *   the first request | every request | every request after one whose reply was lost
 *
 * The client repeats, up to three attempts in all, what failed on the way (reset, timeout, 5xx,
 * throttling) and nothing else. The engine repeats completions and, at the next third of the lease,
 * renewals; it never repeats a claim or a release.
 */

type Row<K> = readonly [first: K, every: K, afterLostReply: K];
export type Outcomes<K> = Readonly<Record<Fault, Row<K>>>;

export function outcomeOf<K>(outcomes: Outcomes<K>, fault: Fault, extent: Extent): K {
  return outcomes[fault][EXTENTS.indexOf(extent)] as K;
}

/**
 * `answered`: as if nothing had happened. `fails`: a store error that says it may be tried again, and
 * `refused` one that says it is no use; the method did not run and the key is as it was before.
 * `blocks`: as `fails`, but a claim that arrived after its release stands until its lease is over.
 */
export type ClaimOutcome = 'answered' | 'fails' | 'refused' | 'blocks';

export const claims: Outcomes<ClaimOutcome> = {
  dropped: ['answered', 'fails', 'fails'],
  'applied, its reply lost': ['answered', 'fails', 'fails'],
  'applied, its reply cut in the middle': ['answered', 'fails', 'fails'],
  'applied, its reply stalled in the middle': ['fails', 'fails', 'fails'],
  'applied, half of its reply passed off as all of it': ['fails', 'fails', 'fails'],
  'delayed past the timeout and lost': ['answered', 'fails', 'fails'],
  'delayed past the timeout, applied late': ['answered', 'blocks', 'blocks'],
  'delayed past the timeout, applied after the next call': ['answered', 'fails', 'fails'],
  'lost without an answer': ['fails', 'fails', 'fails'],
  'applied without an answer': ['fails', 'fails', 'fails'],
  'unanswered, applied late': ['blocks', 'blocks', 'blocks'],
  'answered with 500': ['answered', 'fails', 'fails'],
  throttled: ['answered', 'fails', 'fails'],
  'beyond the throughput': ['answered', 'fails', 'fails'],
  'in conflict with a transaction': ['fails', 'fails', 'fails'],
  'denied access': ['refused', 'refused', 'refused'],
  'told that there is no table': ['refused', 'refused', 'refused'],
};

/**
 * Under `onStoreUnavailable: 'run'`. `unrecorded`: the method ran and there is no record of it.
 * `recorded`: it ran, and the claim that nobody heard of holds its result. `blocks`: it ran, and a
 * claim that arrived after that stands until its lease is over. `refused`: it did not run.
 */
export type OpenClaimOutcome = 'recorded' | 'unrecorded' | 'blocks' | 'refused';

export const openClaims: Outcomes<OpenClaimOutcome> = {
  dropped: ['recorded', 'unrecorded', 'recorded'],
  'applied, its reply lost': ['recorded', 'recorded', 'recorded'],
  'applied, its reply cut in the middle': ['recorded', 'recorded', 'recorded'],
  'applied, its reply stalled in the middle': ['recorded', 'recorded', 'recorded'],
  'applied, half of its reply passed off as all of it': ['recorded', 'recorded', 'recorded'],
  'delayed past the timeout and lost': ['recorded', 'unrecorded', 'recorded'],
  'delayed past the timeout, applied late': ['recorded', 'blocks', 'recorded'],
  'delayed past the timeout, applied after the next call': ['recorded', 'unrecorded', 'recorded'],
  'lost without an answer': ['unrecorded', 'unrecorded', 'recorded'],
  'applied without an answer': ['recorded', 'recorded', 'recorded'],
  'unanswered, applied late': ['blocks', 'blocks', 'recorded'],
  'answered with 500': ['recorded', 'unrecorded', 'recorded'],
  throttled: ['recorded', 'unrecorded', 'recorded'],
  'beyond the throughput': ['recorded', 'unrecorded', 'recorded'],
  'in conflict with a transaction': ['unrecorded', 'unrecorded', 'recorded'],
  'denied access': ['refused', 'refused', 'refused'],
  'told that there is no table': ['refused', 'refused', 'refused'],
};

/** The read that follows a refused claim whose item did not come back. It changes nothing. */
export const reads: Outcomes<Exclude<ClaimOutcome, 'blocks'>> = {
  dropped: ['answered', 'fails', 'fails'],
  'applied, its reply lost': ['answered', 'fails', 'fails'],
  'applied, its reply cut in the middle': ['answered', 'fails', 'fails'],
  'applied, its reply stalled in the middle': ['fails', 'fails', 'fails'],
  'applied, half of its reply passed off as all of it': ['fails', 'fails', 'fails'],
  'delayed past the timeout and lost': ['answered', 'fails', 'fails'],
  'delayed past the timeout, applied late': ['answered', 'fails', 'fails'],
  'delayed past the timeout, applied after the next call': ['answered', 'fails', 'fails'],
  'lost without an answer': ['fails', 'fails', 'fails'],
  'applied without an answer': ['fails', 'fails', 'fails'],
  'unanswered, applied late': ['fails', 'fails', 'fails'],
  'answered with 500': ['answered', 'fails', 'fails'],
  throttled: ['answered', 'fails', 'fails'],
  'beyond the throughput': ['answered', 'fails', 'fails'],
  'in conflict with a transaction': ['fails', 'fails', 'fails'],
  'denied access': ['refused', 'refused', 'refused'],
  'told that there is no table': ['refused', 'refused', 'refused'],
};

/** The read of `readFirst`: only a failure that stays one is told, all else is left to the claim. */
export const readsBeforeClaims: Outcomes<'answered' | 'refused'> = {
  dropped: ['answered', 'answered', 'answered'],
  'applied, its reply lost': ['answered', 'answered', 'answered'],
  'applied, its reply cut in the middle': ['answered', 'answered', 'answered'],
  'applied, its reply stalled in the middle': ['answered', 'answered', 'answered'],
  'applied, half of its reply passed off as all of it': ['answered', 'answered', 'answered'],
  'delayed past the timeout and lost': ['answered', 'answered', 'answered'],
  'delayed past the timeout, applied late': ['answered', 'answered', 'answered'],
  'delayed past the timeout, applied after the next call': ['answered', 'answered', 'answered'],
  'lost without an answer': ['answered', 'answered', 'answered'],
  'applied without an answer': ['answered', 'answered', 'answered'],
  'unanswered, applied late': ['answered', 'answered', 'answered'],
  'answered with 500': ['answered', 'answered', 'answered'],
  throttled: ['answered', 'answered', 'answered'],
  'beyond the throughput': ['answered', 'answered', 'answered'],
  'in conflict with a transaction': ['answered', 'answered', 'answered'],
  'denied access': ['refused', 'refused', 'refused'],
  'told that there is no table': ['refused', 'refused', 'refused'],
};

/** Whether a run that outlives its first lease still has the key then. One that does not has it. */
export const renewals: Outcomes<'kept' | 'lapses'> = {
  dropped: ['kept', 'lapses', 'kept'],
  'applied, its reply lost': ['kept', 'kept', 'kept'],
  'applied, its reply cut in the middle': ['kept', 'kept', 'kept'],
  'applied, its reply stalled in the middle': ['kept', 'kept', 'kept'],
  'applied, half of its reply passed off as all of it': ['kept', 'kept', 'kept'],
  'delayed past the timeout and lost': ['kept', 'lapses', 'kept'],
  'delayed past the timeout, applied late': ['kept', 'lapses', 'kept'],
  'delayed past the timeout, applied after the next call': ['kept', 'lapses', 'kept'],
  'lost without an answer': ['kept', 'lapses', 'kept'],
  'applied without an answer': ['kept', 'kept', 'kept'],
  'unanswered, applied late': ['kept', 'lapses', 'kept'],
  'answered with 500': ['kept', 'lapses', 'kept'],
  throttled: ['kept', 'lapses', 'kept'],
  'beyond the throughput': ['kept', 'lapses', 'kept'],
  'in conflict with a transaction': ['kept', 'lapses', 'kept'],
  'denied access': ['kept', 'lapses', 'kept'],
  'told that there is no table': ['kept', 'lapses', 'kept'],
};

/**
 * `recorded`: as if nothing had happened. In the others the caller is told that recording failed, and
 * the record is there all the same (`unheard`), appears after the next call (`later`) or never does
 * (`unrecorded`): the claim then stands until its lease is over.
 */
export type CompletionOutcome = 'recorded' | 'unheard' | 'later' | 'unrecorded';

export const completions: Outcomes<CompletionOutcome> = {
  dropped: ['recorded', 'unrecorded', 'unheard'],
  'applied, its reply lost': ['recorded', 'unheard', 'unheard'],
  'applied, its reply cut in the middle': ['recorded', 'unheard', 'unheard'],
  'applied, its reply stalled in the middle': ['recorded', 'unheard', 'unheard'],
  'applied, half of its reply passed off as all of it': ['recorded', 'unheard', 'unheard'],
  'delayed past the timeout and lost': ['recorded', 'unrecorded', 'unheard'],
  'delayed past the timeout, applied late': ['recorded', 'unheard', 'unheard'],
  'delayed past the timeout, applied after the next call': ['recorded', 'later', 'unheard'],
  'lost without an answer': ['recorded', 'unrecorded', 'unheard'],
  'applied without an answer': ['recorded', 'unheard', 'unheard'],
  'unanswered, applied late': ['recorded', 'unheard', 'unheard'],
  'answered with 500': ['recorded', 'unrecorded', 'unheard'],
  throttled: ['recorded', 'unrecorded', 'unheard'],
  'beyond the throughput': ['recorded', 'unrecorded', 'unheard'],
  'in conflict with a transaction': ['recorded', 'unrecorded', 'unheard'],
  'denied access': ['unrecorded', 'unrecorded', 'unheard'],
  'told that there is no table': ['unrecorded', 'unrecorded', 'unheard'],
};

/** Whether the key is free for the next call, or stays claimed until the lease is over. */
export const releases: Outcomes<'freed' | 'stuck'> = {
  dropped: ['freed', 'stuck', 'freed'],
  'applied, its reply lost': ['freed', 'freed', 'freed'],
  'applied, its reply cut in the middle': ['freed', 'freed', 'freed'],
  'applied, its reply stalled in the middle': ['freed', 'freed', 'freed'],
  'applied, half of its reply passed off as all of it': ['freed', 'freed', 'freed'],
  'delayed past the timeout and lost': ['freed', 'stuck', 'freed'],
  'delayed past the timeout, applied late': ['freed', 'freed', 'freed'],
  'delayed past the timeout, applied after the next call': ['freed', 'stuck', 'freed'],
  'lost without an answer': ['stuck', 'stuck', 'freed'],
  'applied without an answer': ['freed', 'freed', 'freed'],
  'unanswered, applied late': ['freed', 'freed', 'freed'],
  'answered with 500': ['freed', 'stuck', 'freed'],
  throttled: ['freed', 'stuck', 'freed'],
  'beyond the throughput': ['freed', 'stuck', 'freed'],
  'in conflict with a transaction': ['stuck', 'stuck', 'freed'],
  'denied access': ['stuck', 'stuck', 'freed'],
  'told that there is no table': ['stuck', 'stuck', 'freed'],
};

/**
 * An outage that hits the claim and its release alike. `fails` and `refused` leave the key free;
 * `blocks` and `refused, blocks` leave a claim that stands until its lease is over.
 */
export type OutageOutcome = ClaimOutcome | 'refused, blocks';

export const outages: Outcomes<OutageOutcome> = {
  dropped: ['answered', 'fails', 'blocks'],
  'applied, its reply lost': ['answered', 'fails', 'fails'],
  'applied, its reply cut in the middle': ['answered', 'fails', 'fails'],
  'applied, its reply stalled in the middle': ['fails', 'fails', 'fails'],
  'applied, half of its reply passed off as all of it': ['fails', 'fails', 'fails'],
  'delayed past the timeout and lost': ['answered', 'fails', 'blocks'],
  // The releases are late too, and behind the claims.
  'delayed past the timeout, applied late': ['answered', 'fails', 'fails'],
  'delayed past the timeout, applied after the next call': ['answered', 'fails', 'blocks'],
  'lost without an answer': ['fails', 'fails', 'blocks'],
  'applied without an answer': ['fails', 'fails', 'fails'],
  'unanswered, applied late': ['blocks', 'fails', 'fails'],
  'answered with 500': ['answered', 'fails', 'blocks'],
  throttled: ['answered', 'fails', 'blocks'],
  'beyond the throughput': ['answered', 'fails', 'blocks'],
  'in conflict with a transaction': ['fails', 'fails', 'blocks'],
  'denied access': ['refused', 'refused', 'refused, blocks'],
  'told that there is no table': ['refused', 'refused', 'refused, blocks'],
};
