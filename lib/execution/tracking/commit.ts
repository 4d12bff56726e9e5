import {
  IdempotencyClaimLostError,
  IdempotencyCommitError,
  isIdempotencyClaimLostError,
  isIdempotencyCommitError,
  isIdempotencyStoreError,
  type CommitErrorDetails,
  type CommitOutcome,
} from '../../errors/index.js';
import {
  RecordStatus,
  type Claim,
  type Commit,
  type Completion,
} from '../../store/idempotency-store.js';
import { limitsOf, type Call } from '../call.js';
import { isRecordable, type Recorded } from '../completion.js';
import { publish } from '../events.js';
import { release } from '../release.js';
import { repeatWrite, type WriteFailure } from '../repeat-write.js';
import { promiseOf } from '../store-failure.js';
import { checkCommits } from './deferred-writes.js';

/**
 * Records a result and applies the writes that the method deferred, in one transaction: both or
 * neither, whoever crashes when. The request is built once and sent again unchanged.
 *
 * @throws IdempotencyCommitError. The key is free again where nothing was applied, and never where
 * that is unknown.
 */
export async function commitOutcome(
  result: unknown,
  completion: Completion,
  writes: Commit['writes'],
  claim: Claim,
  call: Call,
): Promise<Recorded> {
  const commit: Commit = { token: call.token, outcome: { claim, completion }, writes };
  const failure = await send(commit, claim.inProgressUntilMs, call);
  if (failure === undefined || (failure.maybeApplied && (await isRecordedByUs(call)))) {
    publish(call, {
      type: 'completed',
      failed: false,
      resultOmitted: completion.resultOmitted !== undefined,
    });
    return { kind: 'recorded' };
  }
  const error = commitError(failure, outcomeOf(failure), result, call);
  if (isIdempotencyClaimLostError(failure.error)) publish(call, { type: 'claim-lost' });
  else if (error.outcome === 'cancelled') await release(claim, call);
  else publish(call, { type: 'completion-failed', error });
  throw error;
}

/**
 * Applies the deferred writes of a run without protection, alone.
 *
 * @throws IdempotencyCommitError.
 */
export async function commitAlone(
  result: unknown,
  writes: Commit['writes'],
  call: Call,
): Promise<void> {
  // As under a claim: a result that asks for a retry brings none of its writes with it.
  if (writes.length === 0 || !isRecordable(result, call)) return;
  const failure = await send({ token: call.token, writes }, Infinity, call);
  if (failure === undefined) return;
  // No record fences these writes off: an earlier attempt may yet arrive after a refused one.
  const outcome = failure.maybeApplied ? 'unknown' : outcomeOf(failure);
  throw commitError(failure, outcome, result, call);
}

function send(commit: Commit, claimEndMs: number, call: Call): Promise<WriteFailure | undefined> {
  const { store, method } = call;
  checkCommits(store, method);
  return repeatWrite('commit', claimEndMs, call, (limits) => store.commit(commit, limits));
}

/** One look at the record before an outcome is called unknown. */
async function isRecordedByUs(call: Call): Promise<boolean> {
  try {
    const record = await promiseOf(call.store.get(call.id, limitsOf(call)));
    return record?.claimToken === call.token && record.status === RecordStatus.COMPLETED;
  } catch {
    // It stays unknown, which is what the caller is told.
    return false;
  }
}

function outcomeOf({ error, maybeApplied }: WriteFailure): CommitOutcome {
  if (isIdempotencyClaimLostError(error)) return 'cancelled';
  if (isIdempotencyCommitError(error)) return error.outcome;
  return maybeApplied ? 'unknown' : 'cancelled';
}

function commitError(
  { error }: WriteFailure,
  outcome: CommitOutcome,
  result: unknown,
  call: Call,
): IdempotencyCommitError {
  const { method, id } = call;
  const details = { method, id, result, outcome };
  if (isIdempotencyCommitError(error)) {
    return new IdempotencyCommitError('the store refused it', {
      ...details,
      reasons: error.reasons,
      ...causeOf(error),
    });
  }
  if (isIdempotencyClaimLostError(error)) return commitLost(result, call);
  const reason = isIdempotencyStoreError(error) ? error.reason : error.message;
  return new IdempotencyCommitError(reason, { ...details, cause: error });
}

/** The error of a late owner that had deferred writes: none of them applies. */
export function commitLost(result: unknown, call: Call): IdempotencyCommitError {
  const { method, id } = call;
  return new IdempotencyCommitError('another call has the key now', {
    method,
    id,
    result,
    outcome: 'cancelled',
    cause: new IdempotencyClaimLostError({ method, id, result }),
  });
}

function causeOf(error: Error): Pick<CommitErrorDetails, 'cause'> {
  return error.cause === undefined ? {} : { cause: error.cause };
}
