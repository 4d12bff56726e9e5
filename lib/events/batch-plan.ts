import type {
  BatchEvent,
  DynamoDBBatchRecord,
  KinesisBatchRecord,
  RecordOf,
  SqsBatchRecord,
} from './event-shapes.js';

/** A record, and the name under which Lambda takes it back. */
export interface BatchItem<R> {
  readonly record: R;
  readonly identifier: string;
}

/** What a batch comes to: each record once. */
export interface BatchPlan<R> {
  /** All of them, in the event's order. */
  readonly items: readonly BatchItem<R>[];
  /** Records that have to be handled one after the other; lanes are independent of each other. */
  readonly lanes: readonly (readonly BatchItem<R>[])[];
  /** Lambda reads again from the first record that is reported: one is enough. */
  readonly ordered: boolean;
}

/** A service whose batches can fail in part, with records of one kind. */
interface Source<R> {
  /** What tells that two records are one; `idName` is what errors call it. */
  id(record: R): string | undefined;
  readonly idName: string;
  identifier(record: R): string | undefined;
  readonly identifierName: string;
  /** Records with the same lane keep their order; `undefined` is a lane of its own. */
  lane(record: R): string | undefined;
  readonly ordered: boolean;
}

/** Its records are what their `eventSource` says they are. */
function source<R>(description: Source<R>): Source<unknown> {
  return description;
}

const sources: ReadonlyMap<unknown, Source<unknown>> = new Map([
  [
    'aws:sqs',
    source<SqsBatchRecord>({
      id: (record) => record.messageId,
      idName: 'messageId',
      identifier: (record) => record.messageId,
      identifierName: 'messageId',
      // By the queue's name, which has to end so. Messages of a standard queue can have a group as
      // well (fair queues), and no order for all that.
      lane: ({ eventSourceARN, attributes }) =>
        eventSourceARN?.endsWith('.fifo') === true ? (attributes?.MessageGroupId ?? '') : undefined,
      ordered: false,
    }),
  ],
  [
    'aws:kinesis',
    source<KinesisBatchRecord>({
      id: (record) => record.eventID,
      idName: 'eventID',
      identifier: (record) => record.kinesis.sequenceNumber,
      identifierName: 'sequenceNumber',
      lane: () => '',
      ordered: true,
    }),
  ],
  [
    'aws:dynamodb',
    source<DynamoDBBatchRecord>({
      id: (record) => record.eventID,
      idName: 'eventID',
      identifier: (record) => record.dynamodb?.SequenceNumber,
      identifierName: 'SequenceNumber',
      lane: () => '',
      ordered: true,
    }),
  ],
]);

/**
 * Says which records of an event there are to handle, and in which order.
 *
 * @throws TypeError for another event, and for a record that could not be reported.
 */
export function planBatch<E extends BatchEvent>(event: E): BatchPlan<RecordOf<E>> {
  const records = recordsOf(event);
  const [first] = records;
  if (first === undefined) return { items: [], lanes: [], ordered: false };
  const from = sourceOf(records);

  const items = new Map<string, BatchItem<RecordOf<E>>>();
  const lanes = new Map<unknown, BatchItem<RecordOf<E>>[]>();
  for (const [index, record] of records.entries()) {
    const id = present(from.id(record), from.idName, index);
    if (items.has(id)) continue;
    const identifier = present(from.identifier(record), from.identifierName, index);
    const item: BatchItem<RecordOf<E>> = { record, identifier };
    items.set(id, item);
    const lane = from.lane(record) ?? item;
    const queued = lanes.get(lane);
    if (queued === undefined) lanes.set(lane, [item]);
    else queued.push(item);
  }
  return { items: [...items.values()], lanes: [...lanes.values()], ordered: from.ordered };
}

function recordsOf<E extends BatchEvent>(event: E): readonly RecordOf<E>[] {
  const records: unknown = (event as Partial<E> | null | undefined)?.Records;
  if (!Array.isArray(records)) throw unexpected(describe(event));
  return records as readonly RecordOf<E>[];
}

/** All records of a batch come from one place. */
function sourceOf(records: readonly unknown[]): Source<unknown> {
  const names = new Set(records.map(sourceName));
  const [name] = names;
  const known = names.size === 1 ? sources.get(name) : undefined;
  if (known === undefined) {
    throw unexpected(`records of ${[...names].map((each) => each ?? 'no source').join(' and ')}`);
  }
  return known;
}

function sourceName(record: unknown): string | undefined {
  // SNS writes its members in upper case.
  const { eventSource, EventSource } = (record ?? {}) as Readonly<Record<string, unknown>>;
  const name = eventSource ?? EventSource;
  return typeof name === 'string' ? name : undefined;
}

function present(value: string | undefined, name: string, index: number): string {
  // Lambda takes an empty identifier for the failure of the whole batch.
  if (typeof value !== 'string' || value === '') {
    throw new TypeError(
      `Expected every record to have its \`${name}\`, got none at index ${String(index)} (processBatch)`,
    );
  }
  return value;
}

function describe(event: unknown): string {
  if (typeof event !== 'object' || event === null) return event === null ? 'null' : typeof event;
  const names = Object.keys(event).slice(0, 8);
  return names.length === 0 ? 'an empty object' : `an object with ${names.join(', ')}`;
}

function unexpected(got: string): TypeError {
  return new TypeError(
    `Expected an event of SQS, Kinesis or a DynamoDB stream, got ${got} (processBatch)`,
  );
}
