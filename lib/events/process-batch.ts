import type { LambdaContextLike } from '../configuration/options.js';
import { planBatch, type BatchItem } from './batch-plan.js';
import type { BatchEvent, RecordOf } from './event-shapes.js';

/** Options of {@link processBatch}. */
export interface BatchOptions<R> {
  /**
   * How many records are handled at the same time, a whole number from 1 to 1000. Records that have
   * an order wait for each other all the same: those of a message group, and all of a stream.
   * @default 10
   */
  readonly concurrency?: number;
  /**
   * The Lambda context. With less than a second left no further record is begun; the rest is reported,
   * so that Lambda delivers it again.
   * @default none: time is not looked at
   */
  readonly context?: LambdaContextLike;
  /**
   * Called with the error of each record that failed, to log it: Lambda sees identifiers alone. Not
   * called for records that were never begun. What it returns is awaited; where it throws, the batch
   * goes on, and a process warning says so.
   * @default none
   */
  readonly onFailure?: (error: unknown, record: R) => unknown;
}

/** What Lambda expects of a function with `ReportBatchItemFailures`. */
export interface BatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

const MAX_CONCURRENCY = 1000;
const DEFAULT_CONCURRENCY = 10;
/** A claim needs as much, and what is begun later would hardly end in time. */
const MIN_REMAINING_MS = 1000;

/**
 * Handles the records of an SQS, Kinesis or DynamoDB stream event one by one, and reports those that
 * failed, so that Lambda delivers them again and not the whole batch. Protect the method that handles
 * one record: what is delivered again and had succeeded is replayed.
 *
 * - SQS, standard queue: all records, some at a time.
 * - SQS, FIFO queue: groups at the same time, the records of a group in order. The first failure ends
 *   its group; it and the rest of the group are reported.
 * - Kinesis, DynamoDB stream: in order. The first failure ends the batch and is reported: Lambda
 *   delivers again from there.
 *
 * A record that is in the batch twice is handled once. One that another invocation is working on
 * (`IdempotencyInProgressError`) counts as failed: it comes again when that one is over, if the
 * queue's visibility timeout is longer than the function's timeout.
 *
 * The event source mapping needs `FunctionResponseTypes: ['ReportBatchItemFailures']`. Without it
 * Lambda takes every reply for success, and records that failed are lost.
 *
 * @param event the event as Lambda delivers it
 * @param handle called once per record; a throw or a rejection is that record's failure
 * @returns what the Lambda handler returns
 * @throws TypeError, as a rejection, for any other event and for wrong options; RangeError for a wrong
 * number. No record is handled then.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 *
 * @example
 * ```ts
 * class Shipping {
 *   @Idempotent({ key: sqsMessageId })
 *   async ship(record: SQSRecord, context: Context): Promise<void> { … }
 *
 *   handle(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
 *     return processBatch(event, (record) => this.ship(record, context), { context });
 *   }
 * }
 * ```
 */
export async function processBatch<E extends BatchEvent>(
  event: E,
  handle: (record: RecordOf<E>) => unknown,
  options: BatchOptions<RecordOf<E>> = {},
): Promise<BatchResponse> {
  const { concurrency = DEFAULT_CONCURRENCY, context, onFailure } = options;
  checkFunctions(handle, onFailure);
  checkConcurrency(concurrency);
  const { items, lanes, ordered } = planBatch(event);

  const failed = new Set<BatchItem<RecordOf<E>>>();
  const waiting = lanes.values();
  const work = async (): Promise<void> => {
    // Workers share the iterator: each takes the next lane.
    for (const lane of waiting) {
      for (const item of await unhandled(lane)) failed.add(item);
    }
  };
  const unhandled = async (
    lane: readonly BatchItem<RecordOf<E>>[],
  ): Promise<readonly BatchItem<RecordOf<E>>[]> => {
    for (const [index, { record }] of lane.entries()) {
      if (!hasTime(context)) return lane.slice(index);
      try {
        await handle(record);
      } catch (error) {
        await tell(onFailure, error, record);
        return lane.slice(index);
      }
    }
    return [];
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, lanes.length) }, work));

  const reported = items.filter((item) => failed.has(item));
  return {
    batchItemFailures: (ordered ? reported.slice(0, 1) : reported).map(({ identifier }) => ({
      itemIdentifier: identifier,
    })),
  };
}

/** A context that cannot say how much is left does not keep records from being handled. */
function hasTime(context: LambdaContextLike | undefined): boolean {
  try {
    const remainingMs = context?.getRemainingTimeInMillis() ?? Infinity;
    return !(remainingMs < MIN_REMAINING_MS);
  } catch {
    return true;
  }
}

async function tell<R>(
  onFailure: BatchOptions<R>['onFailure'],
  error: unknown,
  record: R,
): Promise<void> {
  try {
    await onFailure?.(error, record);
  } catch (failure) {
    const name = failure instanceof Error ? failure.name : typeof failure;
    process.emitWarning(`\`onFailure\` of processBatch failed: ${name}`, {
      type: 'IdempotencyWarning',
      code: 'MAYFLY_LISTENER_FAILED',
    });
  }
}

function checkFunctions(handle: unknown, onFailure: unknown): void {
  if (typeof handle !== 'function') {
    throw new TypeError(`Expected a function of a record, got ${typeof handle} (processBatch)`);
  }
  if (onFailure !== undefined && typeof onFailure !== 'function') {
    throw new TypeError(
      `Expected \`onFailure\` to be a function, got ${typeof onFailure} (processBatch)`,
    );
  }
}

function checkConcurrency(concurrency: unknown): void {
  const expected = `Expected \`concurrency\` to be a whole number from 1 to ${String(MAX_CONCURRENCY)}`;
  if (typeof concurrency !== 'number') {
    throw new TypeError(`${expected}, got ${typeof concurrency} (processBatch)`);
  }
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY) {
    throw new RangeError(`${expected}, got ${String(concurrency)} (processBatch)`);
  }
}
