import { GetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TransactWrite } from '../../../lib/store/idempotency-store.js';

/** What became of an order in the table of the business. */
export interface Effect {
  /** How often its write was applied. */
  readonly applied: number;
  /** Which attempt applied it last. */
  readonly attempt: string | undefined;
}

/** The business write: it counts, so that a second application shows. */
export function effectWrite(TableName: string, key: string, attempt: string) {
  return {
    Update: {
      TableName,
      Key: { id: { S: key } },
      UpdateExpression: 'SET attempt = :attempt ADD applied :one',
      ExpressionAttributeValues: { ':attempt': { S: attempt }, ':one': { N: '1' } },
    },
  } satisfies TransactWrite;
}

/** Asks the engine itself. */
export async function effectOf(
  client: DynamoDBClient,
  TableName: string,
  key: string,
): Promise<Effect> {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: { id: { S: key } }, ConsistentRead: true }),
  );
  return { applied: Number(Item?.['applied']?.N ?? 0), attempt: Item?.['attempt']?.S };
}
