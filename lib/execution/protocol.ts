import type { CallOutcome } from './answer.js';
import { attempt } from './attempt.js';
import type { Call } from './call.js';
import { claimKey } from './claiming.js';
import { isInsideOwnRun, watchRuns } from './own-run.js';
import { waitForOutcome } from './waiting.js';

/**
 * The protocol: claim, run once, record, replay. It knows the store contract and nothing of
 * decorators or DynamoDB. Whoever writes after the claim shows its token, so that a late owner
 * changes nothing.
 *
 * @throws The method's own error, the same object; or an error of this package.
 */
export function execute(call: Call): Promise<CallOutcome> {
  return mayWait(call) ? waitForOutcome(call) : attempt(call, claimKey);
}

/** Whether a call waits for a running one: not for the very run that it is made in. */
function mayWait(call: Call): boolean {
  if (call.settings.waitMs <= 0) return false;
  watchRuns();
  return !isInsideOwnRun(call);
}
