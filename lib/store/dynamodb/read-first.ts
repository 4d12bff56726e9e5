import { isIdempotencyRecordError, isIdempotencyStoreError } from '../../errors/guards.js';
import { RecordStatus, type IdempotencyRecord } from '../idempotency-store.js';

/**
 * What an eventually consistent `read` found, where a claim at `nowMs` can be answered with it: a
 * finished record never changes until it expires, so one that is a moment behind is as good as the
 * newest. A claim in progress may have ended and a missing record may be there by now; such findings,
 * an unreadable record and a read that may succeed the next time leave the decision to the claim.
 *
 * @throws IdempotencyStoreError when the read fails for a reason that stays, such as a missing
 * permission: passed over, it would cost a request per call for ever.
 */
export async function finishedRecord(
  read: () => Promise<IdempotencyRecord | undefined>,
  nowMs: number,
): Promise<IdempotencyRecord | undefined> {
  try {
    const record = await read();
    if (record === undefined || record.status === RecordStatus.IN_PROGRESS) return undefined;
    const { takeoverAtMs = Infinity } = record;
    return takeoverAtMs < nowMs ? undefined : record;
  } catch (error) {
    if (isIdempotencyRecordError(error)) return undefined;
    if (isIdempotencyStoreError(error) && error.retryable) return undefined;
    throw error;
  }
}
