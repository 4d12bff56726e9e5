import { inProgress, replay, type CallOutcome } from './answer.js';
import type { Call } from './call.js';
import { claimFailed } from './claim-failure.js';
import type { Claimed } from './claiming.js';
import { Flight } from './flight.js';
import { areRunsWatched } from './own-run.js';
import { runClaimed } from './run-claimed.js';

/**
 * Claims the key as `claim` does, and answers the call with what comes of it: a run, a record, or
 * another call that is running.
 *
 * @param flight The call's own, where others may join it before it has the key.
 */
export async function attempt(
  call: Call,
  claim: (call: Call) => Promise<Claimed>,
  flight?: Flight,
): Promise<CallOutcome> {
  let claimed: Claimed;
  try {
    claimed = await claim(call);
  } catch (cause) {
    return claimFailed(cause, call);
  }
  switch (claimed.kind) {
    case 'claimed': {
      const own = flight ?? (areRunsWatched() ? Flight.start(call) : undefined);
      const result = await runClaimed(claimed.claim, call, own);
      return { status: 'executed', result };
    }
    case 'recorded':
      flight?.land(claimed.record);
      return replay(claimed.record, call);
    case 'in-progress':
      return inProgress(claimed.untilMs, call);
  }
}
