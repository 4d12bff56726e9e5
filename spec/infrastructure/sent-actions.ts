import { createIdempotencyTable, DynamoDBStore } from '../../lib/store/dynamodb/index.js';
import type { Claim } from '../../lib/store/idempotency-store.js';
import { runCli } from '../cli/cli-bench.js';
import { output, RecordingClient, refused } from '../support/recording-client.js';

const nowMs = Date.UTC(2026, 0, 15);
const claim: Claim = {
  id: 'a',
  token: 't',
  inProgressUntilMs: nowMs + 60_000,
  expiresAtMs: nowMs + 60_000,
  tookOver: false,
};
const completion = { status: 'COMPLETED', nowMs, ttlMs: 1000, result: '1' } as const;

/** The IAM actions of every request that the store makes for decorated code, transactions apart. */
export async function actionsOfTheStore(): Promise<string[]> {
  const client = new RecordingClient();
  const store = new DynamoDBStore({ table: 'idem', client, readFirst: true });
  const plain = new DynamoDBStore({ table: 'idem', client });
  const request = { ...claim, nowMs, ttlMs: 1000, onExpiredClaim: 'run' } as const;
  await store.claim(request);
  client.next(refused()); // No item came back: it is read.
  await plain.claim({ ...request, onExpiredClaim: 'reject' });
  await store.renew(claim, nowMs + 120_000);
  await store.complete(claim, completion);
  await store.release(claim);
  await store.get('a');
  await store.forget('a');
  await store.forget('a', { force: true });
  return actions(client);
}

/**
 * The IAM actions that a transaction takes on the records' table. Permission for its items is that
 * of the single writes (Amazon DynamoDB Developer Guide, "Using IAM with DynamoDB transactions").
 */
export async function actionsOfACommit(): Promise<string[]> {
  const client = new RecordingClient();
  const store = new DynamoDBStore({ table: 'idem', client });
  const Put = { TableName: 'orders', Item: { id: { S: 'o-1' } } };
  await store.commit({ token: 't', outcome: { claim, completion }, writes: [{ Put }] });
  const items = client.last.input.TransactItems as Record<string, { TableName: string }>[];
  return items
    .flatMap((item) => Object.entries(item))
    .filter(([, { TableName }]) => TableName === 'idem')
    .map(([kind]) => (kind === 'ConditionCheck' ? kind : `dynamodb:${kind}Item`));
}

/** The IAM actions of the command line's requests. */
export async function actionsOfTheCommandLine(
  ...lines: readonly (readonly string[])[]
): Promise<string[]> {
  const client = new RecordingClient();
  for (const words of lines) await runCli([...words, '--table', 'idem'], client);
  return actions(client);
}

/** The IAM actions of making the table. */
export async function actionsOfSetUp(): Promise<string[]> {
  return actions(await setUp());
}

/** The table that `createIdempotencyTable` makes, in CloudFormation's words. */
export async function tableOfSetUp() {
  const { seen } = await setUp();
  const inputOf = (command: string) => seen.find(({ name }) => name === command)?.input;
  const { KeySchema, AttributeDefinitions, BillingMode } = inputOf('CreateTable');
  const { TimeToLiveSpecification } = inputOf('UpdateTimeToLive');
  return { KeySchema, AttributeDefinitions, BillingMode, TimeToLiveSpecification };
}

async function setUp(): Promise<RecordingClient> {
  const KeySchema = [{ AttributeName: 'id', KeyType: 'HASH' }];
  const AttributeDefinitions = [{ AttributeName: 'id', AttributeType: 'S' }];
  const Table = { TableStatus: 'ACTIVE', KeySchema, AttributeDefinitions };
  const client = new RecordingClient().next(output(), output({ Table }), output(), output());
  await createIdempotencyTable({ table: 'idem', client });
  return client;
}

function actions({ names }: RecordingClient): string[] {
  return [...new Set(names.map((name) => `dynamodb:${name}`))];
}
