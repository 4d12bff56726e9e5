/**
 * `mayfly-idempotency/execution`: what a running method can know of its own execution and do with
 * it. Importing it is what makes runs know of themselves (by `AsyncLocalStorage`); without it no
 * call and no bundle pays for that.
 *
 * @module mayfly-idempotency/execution
 */
import type { TransactWrite } from '../store/idempotency-store.js';
import { registerExecutionTracking } from './execution-tracking.js';
import type { CurrentExecution } from './tracking/current-execution.js';
import { ExecutionTracker } from './tracking/tracker.js';

export type { CurrentExecution } from './tracking/current-execution.js';
export { MAX_DEFERRED_WRITES, type TransactWrite } from '../store/idempotency-store.js';

const tracker = registerExecutionTracking(new ExecutionTracker());

/**
 * The execution that the current code belongs to, however deep and however asynchronous: the
 * innermost one. `undefined` outside of one, and in runs without a key (`onMissingKey: 'run'`) or
 * with protection switched off.
 *
 * @example
 * ```ts
 * const execution = currentExecution();
 * await payments.charge(order, {
 *   idempotencyKey: execution?.downstreamKey('charge'),
 *   signal: execution?.signal,
 * });
 * ```
 */
export function currentExecution(): CurrentExecution | undefined {
  return tracker.current()?.execution;
}

/**
 * Defers DynamoDB writes to the moment when the result is recorded: one `TransactWriteItems` then
 * applies all of them and completes the record, or nothing at all, whoever crashes when. That makes
 * the effect happen exactly once. A method that throws, or whose result is released by
 * `recordResultIf`, applies none of them. Several calls add up; a nested idempotent call has its own.
 *
 * The decorated call rejects with `IdempotencyCommitError` when the transaction fails, whatever
 * `onCompletionFailure` says: `cancelled` applied nothing and frees the key, `unknown` keeps it until
 * the lease ends. Conflicts and throttling are retried first. A run without protection (failing open,
 * no key, switched off) applies the writes alone, in one transaction.
 *
 * Costs two write units for each one that a plain write costs, as AWS bills transactions. Each item
 * needs the permission of its kind on its table: PutItem, UpdateItem, DeleteItem, ConditionCheckItem.
 * Source: Amazon DynamoDB Developer Guide, "Managing complex workflows with DynamoDB transactions"
 * and "Using IAM with DynamoDB transactions".
 *
 * @param writes Items as in DynamoDB's `TransactWriteItems`, with attribute values (`{ S: 'o1' }`);
 * at most 99 in all, no two on one key, 4 MB together. They are copied: what becomes of the objects
 * afterwards changes nothing.
 * @throws TypeError outside of an idempotent method or after it is over, for what is no such item,
 * or where the store knows no transactions. RangeError for too many.
 * @example
 * ```ts
 * commitWith([{ Put: { TableName: 'orders', Item: { id: { S: order.id } } } }]);
 * return { orderId: order.id };
 * ```
 */
export function commitWith(writes: readonly TransactWrite[]): void {
  const run = tracker.current();
  if (run === undefined) {
    throw new TypeError('commitWith was called outside of an idempotent method');
  }
  run.writes.add(writes);
}
