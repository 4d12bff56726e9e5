/* What is called over and over, on clients that reach no network. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  accepted,
  acceptingClient,
  refused,
  refusingClient,
  transportedClient,
  type Item,
} from './clients.js';
import { context } from './context.js';
import type { Call, Contestant, ContestantName } from './contestants/contestant.js';
import { orderOf, ordersOf, resultOf, type Order } from './payloads.js';
import { recordedItem } from './recorded-item.js';
import { cpuTurn, play, type Effort, type Samples, type Turn } from './rounds.js';

/** Where the stub is: in the place of `client.send`, or in that of the network. */
export type Depth = 'library' | 'whole client';

export interface FirstRun {
  readonly depth: Depth;
  readonly key: 'orderId' | 'event';
  readonly eventBytes: number;
  readonly resultBytes: number;
}

export interface Replay {
  readonly depth: Depth;
  readonly resultBytes: number;
  readonly cache?: boolean;
}

export type Prepare = (contestant: Contestant) => Promise<() => Promise<unknown>>;

const table = 'idempotency';

const clients: Readonly<
  Record<Depth, { accepting(): DynamoDBClient; refusing(item: Item): DynamoDBClient }>
> = {
  library: { accepting: acceptingClient, refusing: refusingClient },
  'whole client': {
    accepting: () => transportedClient(accepted),
    refusing: (item) => transportedClient(refused(item)),
  },
};

/** Orders that nobody has seen, each of which is placed. */
export function firstRun({ depth, key, eventBytes, resultBytes }: FirstRun): Prepare {
  return (contestant) => {
    const result = resultOf(resultBytes);
    const run = (): Promise<unknown> => Promise.resolve(result);
    const call = contestant.protect({ client: clients[depth].accepting(), table, key, run });
    return Promise.resolve(eachOf(ordersOf(eventBytes), call));
  };
}

/** One order that has been placed. */
export function replay({ depth, resultBytes, cache = false }: Replay): Prepare {
  return async (contestant) => {
    const order = orderOf(200);
    const result = resultOf(resultBytes);
    const task = { table, key: 'orderId', run: () => Promise.resolve(result) } as const;
    const client = clients[depth].refusing(await recordedItem(contestant, order, task));
    const run = (): never => {
      throw new Error('A replay must not run');
    };
    const call = contestant.protect({ ...task, client, run, cache });
    return () => call(order, context);
  };
}

/** What one call costs each contestant, in microseconds of processor time, round by round. */
export async function race(
  contestants: readonly Contestant[],
  prepare: Prepare,
  effort: Effort,
): Promise<Samples<ContestantName>> {
  const turns: Partial<Record<ContestantName, Turn>> = {};
  for (const contestant of contestants) {
    turns[contestant.name] = await cpuTurn(await prepare(contestant), effort);
  }
  const all = turns as Record<ContestantName, Turn>;
  // Once in every order, unmeasured: each one's code was compiled while the others' was not there yet.
  await play(all, effort.smoke ? 1 : 6);
  return play(all, effort.rounds);
}

function eachOf(orders: readonly Order[], call: Call): () => Promise<unknown> {
  let next = 0;
  return () => {
    if (next === orders.length) next = 0;
    return call(orders[next++]!, context);
  };
}
