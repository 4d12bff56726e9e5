import { randomUUID } from 'node:crypto';
import { GetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStore, type DynamoDBClientLike } from '../../../lib/store/dynamodb/index.js';
import { itemBytes } from '../../../lib/store/dynamodb/item-size.js';
import type { Claim, ClaimRequest } from '../../../lib/store/idempotency-store.js';

const NOW_MS = Date.UTC(2031, 0, 1) + 123;
const KB = 1024;

/** What one step of the protocol costs: the requests in their order, and their capacity units. */
export interface Cost {
  readonly requests: readonly string[];
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** The cost of each kind of call on one key, and the size of the record before and after. */
export interface CostRow {
  readonly first: Cost;
  readonly inProgress: Cost;
  readonly replay: Cost;
  readonly claimBytes: number;
  readonly recordBytes: number;
}

interface Consumed {
  readonly name: string;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** A client that asks for the consumed capacity of each request. */
class MeteringClient implements DynamoDBClientLike {
  readonly consumed: Consumed[] = [];
  readonly #client: DynamoDBClientLike;

  constructor(client: DynamoDBClientLike) {
    this.#client = client;
  }

  async send(command: { constructor: { name: string }; input: object }, options?: object) {
    const name = command.constructor.name.replace(/Command$/, '');
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    try {
      const output = (await this.#client.send(command, options)) as {
        readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
      };
      const units = output.ConsumedCapacity?.CapacityUnits;
      if (units === undefined) throw new Error(`${name} told no capacity`);
      const reads = name === 'GetItem';
      this.consumed.push({ name, readUnits: reads ? units : 0, writeUnits: reads ? 0 : units });
      return output;
    } catch (error) {
      const { name: errorName, Item } = error as { name?: string; Item?: object };
      if (errorName !== 'ConditionalCheckFailedException' || Item === undefined) throw error;
      this.consumed.push({
        name,
        readUnits: 0,
        writeUnits: refusedWriteUnits(itemBytes({ ...Item })),
      });
      throw error;
    }
  }
}

/**
 * A write whose condition does not hold consumes write units by the size of the item that is there,
 * at least one, and tells nothing about it: the engine's error carries no consumed capacity.
 *
 * Source: Amazon DynamoDB Developer Guide, "DynamoDB read and write operations", capacity unit
 * consumption for write operations,
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html#write-operation-consumption
 */
function refusedWriteUnits(existingBytes: number): number {
  return Math.max(1, Math.ceil(existingBytes / KB));
}

/** Runs one key through a first call, a call while it runs, and a replay. */
export async function costOf(
  client: DynamoDBClient,
  table: string,
  options: { readonly resultBytes: number; readonly readFirst: boolean },
): Promise<CostRow> {
  const { resultBytes, readFirst } = options;
  const metering = new MeteringClient(client);
  const store = new DynamoDBStore({ table, client: metering, readFirst });
  const id = `orders/OrderHandler.handle#${randomUUID()}`;
  const request = (): ClaimRequest => ({
    id,
    token: randomUUID(),
    nowMs: NOW_MS,
    ttlMs: 3_600_000,
    inProgressUntilMs: NOW_MS + 60_000,
    onExpiredClaim: 'run',
  });
  const costed = async (work: () => Promise<unknown>): Promise<Cost> => {
    metering.consumed.length = 0;
    await work();
    return sum(metering.consumed);
  };
  const size = async (): Promise<number> => {
    const Key = { id: { S: id } };
    const { Item = {} } = await client.send(
      new GetItemCommand({ TableName: table, Key, ConsistentRead: true }),
    );
    return itemBytes(Item);
  };

  let claim: Claim | undefined;
  const claiming = await costed(async () => {
    const outcome = await store.claim(request());
    if (outcome.claimed) claim = outcome.claim;
  });
  if (claim === undefined) throw new Error('Refused');
  const own = claim;
  const claimBytes = await size();
  const inProgress = await costed(() => store.claim(request()));
  // As long as it says, quotes included, and not to be gzipped.
  const result = JSON.stringify('x'.repeat(resultBytes - 2));
  const completing = await costed(() =>
    store.complete(own, { status: 'COMPLETED', nowMs: NOW_MS, ttlMs: 3_600_000, result }),
  );
  const recordBytes = await size();
  const replay = await costed(() => store.claim(request()));
  return { first: added(claiming, completing), inProgress, replay, claimBytes, recordBytes };
}

function sum(consumed: readonly Consumed[]): Cost {
  return {
    requests: consumed.map(({ name }) => name),
    readUnits: consumed.reduce((units, each) => units + each.readUnits, 0),
    writeUnits: consumed.reduce((units, each) => units + each.writeUnits, 0),
  };
}

function added(one: Cost, other: Cost): Cost {
  return {
    requests: [...one.requests, ...other.requests],
    readUnits: one.readUnits + other.readUnits,
    writeUnits: one.writeUnits + other.writeUnits,
  };
}
