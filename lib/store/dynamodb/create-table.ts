import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateTimeToLiveCommand,
  type CreateTableCommandInput,
  type DescribeTimeToLiveCommandOutput,
  type DescribeTableCommandOutput,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { wrongOption } from '../../errors/wrong-option.js';
import { pause, systemClock, type Clock } from '../../time/clock.js';
import { msToSeconds, secondsToMs } from '../../time/duration.js';
import { clientOpener, type ClientOptions, type DynamoDBClientLike } from './client.js';
import { TableLayout, type TableLayoutOptions } from './table-layout.js';

/** Options of {@link createIdempotencyTable}. */
export type CreateTableOptions = ClientOptions &
  TableLayoutOptions & {
    /** The table's name. */
    readonly table: string;
    /**
     * How long to wait for the table to become active, in seconds.
     * @default 60
     */
    readonly waitSeconds?: number;
    /** What the waiting is measured with, for tests. @default systemClock */
    readonly clock?: Clock;
  };

/** What {@link createIdempotencyTable} found and did. */
export interface CreateTableOutcome {
  /** Whether the table was made by this call; `false` when there was one already. */
  readonly created: boolean;
  /**
   * Whether DynamoDB deletes expired records. `not-supported`: the engine knows no TTL (some
   * emulators). Correctness does not depend on it, since each read and write judges for itself.
   */
  readonly timeToLive: 'enabled' | 'already-enabled' | 'not-supported';
}

const WHERE = 'createIdempotencyTable';
const DEFAULT_WAIT_SECONDS = 60;
const POLL_MS = 500;

/**
 * Creates the table for `DynamoDBStore` with on-demand capacity, waits until it is active and
 * switches TTL on for the expiry attribute. Safe to repeat and to run at the same time: an existing
 * table is checked and left as it is, but for TTL. For scripts, tests and local engines; the
 * function itself needs no permission for any of this. Its own needs: `dynamodb:CreateTable`,
 * `DescribeTable`, `DescribeTimeToLive`, `UpdateTimeToLive`.
 *
 * @throws Error when an existing table has another key schema or another TTL attribute, or does not
 * become active in time; the SDK's own errors pass through.
 *
 * @example
 * ```ts
 * await createIdempotencyTable({ table: 'idempotency' });
 * ```
 */
export async function createIdempotencyTable(
  options: CreateTableOptions,
): Promise<CreateTableOutcome> {
  const { table, waitSeconds = DEFAULT_WAIT_SECONDS, clock = systemClock } = options;
  if (typeof (table as unknown) !== 'string' || table === '') {
    throw new TypeError(wrongOption('table', "a table's name", table, WHERE));
  }
  if (!(waitSeconds > 0)) {
    throw new RangeError(
      wrongOption('waitSeconds', 'a positive number of seconds', waitSeconds, WHERE),
    );
  }
  const client = clientOpener(options, WHERE)();
  const layout = new TableLayout(options, WHERE);
  const created = await create(client, tableInput(table, layout));
  const found = await waitUntilActive(client, table, clock, secondsToMs(waitSeconds));
  checkKeySchema(found, table, layout);
  return { created, timeToLive: await enableTimeToLive(client, table, layout.names.expiresAt) };
}

function keySchema(layout: TableLayout) {
  const hash = { AttributeName: layout.names.id, KeyType: 'HASH' as const };
  return layout.sortKeyName === undefined
    ? [hash]
    : [hash, { AttributeName: layout.sortKeyName, KeyType: 'RANGE' as const }];
}

function tableInput(TableName: string, layout: TableLayout): CreateTableCommandInput {
  const KeySchema = keySchema(layout);
  return {
    TableName,
    KeySchema,
    AttributeDefinitions: KeySchema.map(({ AttributeName }) => ({
      AttributeName,
      AttributeType: 'S' as const,
    })),
    BillingMode: 'PAY_PER_REQUEST',
  };
}

async function create(
  client: DynamoDBClientLike,
  input: CreateTableCommandInput,
): Promise<boolean> {
  try {
    await client.send(new CreateTableCommand(input));
    return true;
  } catch (error) {
    // Also while somebody else is creating it at this moment.
    if (nameOf(error) === 'ResourceInUseException') return false;
    throw error;
  }
}

async function waitUntilActive(
  client: DynamoDBClientLike,
  table: string,
  clock: Clock,
  waitMs: number,
): Promise<TableDescription> {
  const endMs = clock.now() + waitMs;
  for (;;) {
    const found = await describeTable(client, table);
    if (found?.TableStatus === 'ACTIVE' || found?.TableStatus === 'UPDATING') return found;
    if (clock.now() >= endMs) {
      throw new Error(
        `The table ${table} did not become active within ${String(msToSeconds(waitMs))} s (${found?.TableStatus ?? 'not visible yet'}); wait and repeat, or raise \`waitSeconds\``,
      );
    }
    await pause(clock, POLL_MS);
  }
}

async function describeTable(
  client: DynamoDBClientLike,
  TableName: string,
): Promise<TableDescription | undefined> {
  try {
    const output = await client.send(new DescribeTableCommand({ TableName }));
    return (output as DescribeTableCommandOutput).Table;
  } catch (error) {
    // DescribeTable is eventually consistent: a new table may not be visible yet.
    if (nameOf(error) === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

function checkKeySchema(found: TableDescription, table: string, layout: TableLayout): void {
  const types = new Map(
    found.AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]),
  );
  const actual = (found.KeySchema ?? []).map(
    ({ AttributeName, KeyType }) =>
      `${KeyType === 'HASH' ? 'partition' : 'sort'} key ${String(AttributeName)} (${types.get(AttributeName) ?? '?'})`,
  );
  const wanted = keySchema(layout).map(
    ({ AttributeName, KeyType }) =>
      `${KeyType === 'HASH' ? 'partition' : 'sort'} key ${AttributeName} (S)`,
  );
  if (actual.join() === wanted.join()) return;
  throw new Error(
    `The table ${table} exists with ${actual.join(' and ')}, and ${wanted.join(' and ')} is needed; give \`attributes: { id }\` and \`sortKey\` as the table has them, or use another table`,
  );
}

async function enableTimeToLive(
  client: DynamoDBClientLike,
  TableName: string,
  AttributeName: string,
): Promise<CreateTableOutcome['timeToLive']> {
  try {
    const current = (await client.send(
      new DescribeTimeToLiveCommand({ TableName }),
    )) as DescribeTimeToLiveCommandOutput;
    const { TimeToLiveStatus: status, AttributeName: name } = current.TimeToLiveDescription ?? {};
    if (status === 'ENABLED' || status === 'ENABLING') {
      if (name === AttributeName) return 'already-enabled';
      throw new Error(
        `The table ${TableName} has TTL on ${String(name)}, and ${AttributeName} is needed; name it with \`attributes: { expiresAt }\`, or switch its TTL off first`,
      );
    }
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName,
        TimeToLiveSpecification: { AttributeName, Enabled: true },
      }),
    );
    return 'enabled';
  } catch (error) {
    if (nameOf(error) === 'UnknownOperationException') return 'not-supported';
    if (nameOf(error) === 'ValidationException' && /already enabled/i.test(messageOf(error))) {
      // Somebody else who creates the same table was faster.
      return 'already-enabled';
    }
    throw error;
  }
}

function nameOf(error: unknown): unknown {
  return (error as { name?: unknown } | null | undefined)?.name;
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown }).message);
}
