import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { recordingClient, type Item } from './clients.js';
import { context } from './context.js';
import type { Contestant, Task } from './contestants/contestant.js';
import type { Order } from './payloads.js';

/**
 * The record that a contestant leaves behind: the item of its first write, changed as its second
 * one says. So every contestant replays what it has written itself.
 */
export async function recordedItem(
  contestant: Contestant,
  order: Order,
  task: Pick<Task, 'table' | 'key' | 'run'>,
): Promise<Item> {
  const { client, inputs } = recordingClient();
  await contestant.protect({ ...task, client })(order, context);
  const [claim, completion] = inputs as unknown as [Claim, Completion];
  const item = { ...claim.Item };
  const { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues } = completion;
  const [sets = '', removes = ''] = UpdateExpression.split(' REMOVE ');
  for (const [, name, value] of sets.matchAll(/(#\w+) = (:\w+)/gu)) {
    item[ExpressionAttributeNames[name!]!] = ExpressionAttributeValues[value!]!;
  }
  const removed = new Set(
    [...removes.matchAll(/#\w+/gu)].map(([name]) => ExpressionAttributeNames[name]),
  );
  return Object.fromEntries(Object.entries(item).filter(([name]) => !removed.has(name)));
}

interface Claim {
  readonly Item: Record<string, AttributeValue>;
}

interface Completion {
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues: Readonly<Record<string, AttributeValue>>;
}
