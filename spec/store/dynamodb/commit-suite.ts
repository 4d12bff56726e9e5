import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import type { EffectsHarness } from '../../../lib/testing/store-harness.js';
import type { EngineBench } from './engine-bench.js';

/** Effects as counters in the table of the records: what one transaction reaches anyway. */
export function effectsOf(bench: EngineBench): EffectsHarness<DynamoDBStore> {
  const keyOf = (name: string) => ({ id: { S: `effect-${name}` } });
  return {
    write: (_store, name) => ({
      Update: {
        TableName: bench.table,
        Key: keyOf(name),
        UpdateExpression: 'ADD applied :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    }),
    refusedWrite: (_store, name) => ({
      ConditionCheck: {
        TableName: bench.table,
        Key: keyOf(name),
        ConditionExpression: 'attribute_exists(never)',
      },
    }),
    async count(_store, name) {
      const { Item } = await bench.running.client.send(
        new GetItemCommand({ TableName: bench.table, Key: keyOf(name), ConsistentRead: true }),
      );
      return Number(Item?.['applied']?.N ?? 0);
    },
  };
}
