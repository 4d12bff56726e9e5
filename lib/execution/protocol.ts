import { inProgress, replay, type CallOutcome } from './answer.js';
import type { Call } from './call.js';
import { claimFailed } from './claim-failure.js';
import { claimKey, type Claimed } from './claiming.js';
import { isInsideOwnRun, trackExecutions } from './execution-scope.js';
import { Flight } from './flight.js';
import { runClaimed } from './run-claimed.js';
import { waitForOutcome } from './waiting.js';

/**
 * The protocol: claim, run once, record, replay. It knows the store contract and nothing of
 * decorators or DynamoDB. Whoever writes after the claim shows its token, so that a late owner
 * changes nothing.
 *
 * @throws The method's own error, the same object; or an error of this package.
 */
export async function execute(call: Call): Promise<CallOutcome> {
  if (mayWait(call)) return waitForOutcome(call);
  let claimed: Claimed;
  try {
    claimed = await claimKey(call);
  } catch (cause) {
    return claimFailed(cause, call);
  }
  switch (claimed.kind) {
    case 'claimed':
      return {
        status: 'executed',
        result: await runClaimed(claimed.claim, call, Flight.start(call)),
      };
    case 'recorded':
      return replay(claimed.record, call);
    case 'in-progress':
      return inProgress(claimed.untilMs, call);
  }
}

/** Whether a call waits for a running one: not for the very run that it is made in. */
function mayWait(call: Call): boolean {
  if (call.settings.waitMs <= 0) return false;
  trackExecutions();
  return !isInsideOwnRun(call);
}
