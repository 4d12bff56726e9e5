import { createHash, randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb';
import type { Call, Contestant, Task } from './contestant.js';

type Item = Record<string, AttributeValue>;

const TTL_SECONDS = 3600;
const CLOCK_SKEW_MS = 1000;

const IN_PROGRESS = { S: 'INPROGRESS' };
const COMPLETED = { S: 'COMPLETED' };
const VERSION = { N: '1' };

const CLAIM_CONDITION =
  'attribute_not_exists(#id) OR #expires < :now OR (#status = :inprogress AND #until < :now)';
const CLAIM_NAMES = {
  '#id': 'id',
  '#expires': 'expires_at',
  '#status': 'status',
  '#until': 'in_progress_until',
};

const COMPLETION =
  'SET #status = :status, #expires = :expires, #completed = :completed, #result = :result REMOVE #until';
const COMPLETION_CONDITION = '#token = :token';
const COMPLETION_NAMES = {
  '#status': 'status',
  '#expires': 'expires_at',
  '#completed': 'completed_at',
  '#result': 'result',
  '#until': 'in_progress_until',
  '#token': 'claim_token',
};

/**
 * The floor: mayfly's requests, attribute for attribute, by somebody who writes down nothing but
 * them. No check of the key, no error of its own, no renewal, no release, no size limit.
 */
export function byHand(): Contestant {
  return {
    name: 'by hand',
    protect({ client, table: TableName, key, run }: Task): Call {
      return async (event, context) => {
        const id = {
          S:
            key === 'orderId'
              ? `orders#${event.orderId}`
              : `orders#sha256:${createHash('sha256').update(JSON.stringify(event)).digest('hex')}`,
        };
        const token = { S: randomUUID() };
        const nowMs = Date.now();
        try {
          await client.send(
            new PutItemCommand({
              TableName,
              Item: {
                id,
                status: IN_PROGRESS,
                in_progress_until: seconds(nowMs + context.getRemainingTimeInMillis()),
                claim_token: token,
                v: VERSION,
                expires_at: expiry(nowMs),
              },
              ConditionExpression: CLAIM_CONDITION,
              ExpressionAttributeNames: CLAIM_NAMES,
              ExpressionAttributeValues: {
                ':now': seconds(nowMs - CLOCK_SKEW_MS),
                ':inprogress': IN_PROGRESS,
              },
              ReturnValues: 'ALL_OLD',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          );
        } catch (error) {
          if (!(error instanceof ConditionalCheckFailedException)) throw error;
          const item =
            error.Item ??
            (
              await client.send(
                new GetItemCommand({ TableName, Key: { id }, ConsistentRead: true }),
              )
            ).Item;
          return resultIn(item);
        }

        const result = await run(event, context);
        const completedAtMs = Date.now();
        await client.send(
          new UpdateItemCommand({
            TableName,
            Key: { id },
            UpdateExpression: COMPLETION,
            ConditionExpression: COMPLETION_CONDITION,
            ExpressionAttributeNames: COMPLETION_NAMES,
            ExpressionAttributeValues: {
              ':status': COMPLETED,
              ':expires': expiry(completedAtMs),
              ':completed': seconds(completedAtMs),
              ':result': { S: JSON.stringify(result) },
              ':token': token,
            },
          }),
        );
        return result;
      };
    },
  };
}

function resultIn(item: Item | undefined): unknown {
  if (item?.['status']?.S !== 'COMPLETED') throw new Error('The order is being placed');
  return JSON.parse(item['result']?.S ?? 'null') as unknown;
}

function seconds(ms: number): AttributeValue {
  return { N: String(ms / 1000) };
}

function expiry(nowMs: number): AttributeValue {
  return { N: String(Math.ceil(nowMs / 1000) + TTL_SECONDS) };
}
