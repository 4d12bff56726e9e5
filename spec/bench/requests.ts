/* How many requests go over the wire. Exact on every machine, so this one can fail a run. */
import { isDeepStrictEqual } from 'node:util';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { deferred } from '../support/deferred.js';
import { startDynamoDBLocal } from '../support/engines/dynamodb-local.js';
import type { Engine } from '../support/engines/engine.js';
import { recordingClient } from './clients.js';
import { context } from './context.js';
import { loadContestants } from './contestants/index.js';
import type { Contestant, ContestantName } from './contestants/contestant.js';
import { clientOfEngine, tableOn } from './engines.js';
import { loadPackages } from './packages.js';
import { orderOf, resultOf } from './payloads.js';
import { exactly, type Row } from './row.js';

/** On an engine that returns the item with a refused write, as DynamoDB does. */
const expected = { 'first run': 2, replay: 1, 'in progress': 1 };

type Kind = keyof typeof expected;
type Counts = Readonly<Record<Kind, number>>;

export async function measure(): Promise<Row[]> {
  await checkThatFloorIsOurs();
  const engine = await startDynamoDBLocal();
  try {
    const counts: Partial<Record<ContestantName, Counts>> = {};
    for (const contestant of await loadContestants()) {
      counts[contestant.name] = await countsOf(contestant, engine);
    }
    return (Object.keys(expected) as Kind[]).map((kind) => {
      const figures = Object.entries(counts).map(([name, counted]) => [
        name,
        exactly(counted[kind]),
      ]);
      const exact = counts.mayfly?.[kind] === expected[kind];
      return {
        what: `requests, ${kind}`,
        unit: 'requests',
        figures: Object.fromEntries(figures) as Row['figures'],
        bar: { text: `= ${String(expected[kind])}`, met: exact },
        exact,
      };
    });
  } finally {
    await engine.stop();
  }
}

/** What is written by hand has to be what mayfly sends, or it is no floor to measure it against. */
async function checkThatFloorIsOurs(): Promise<void> {
  const order = orderOf(200);
  const result = resultOf(200);
  const sent: Record<string, unknown> = {};
  for (const { name, protect } of await loadContestants()) {
    const { client, inputs } = recordingClient();
    const run = (): Promise<unknown> => Promise.resolve(result);
    await protect({ client, table: 'idempotency', key: 'orderId', run })(order, context);
    sent[name] = JSON.parse(JSON.stringify(inputs, withoutTimesAndTokens));
  }
  if (!isDeepStrictEqual(sent['by hand'], sent['mayfly'])) {
    const shown = ['by hand', 'mayfly'].map((name) => JSON.stringify(sent[name], null, 2));
    throw new Error(`contestants/by-hand.ts sends other requests:\n${shown.join('\nmayfly:\n')}`);
  }
}

function withoutTimesAndTokens(name: string, value: unknown): unknown {
  return name === 'N' || name === 'claim_token' || name === ':token' ? '' : value;
}

async function countsOf(contestant: Contestant, engine: Engine): Promise<Counts> {
  const client = clientOfEngine(engine);
  const requests = counterOf(client);
  const running = deferred();
  const held = deferred();
  const result = resultOf(200);
  let holds = false;
  const call = contestant.protect({
    client,
    table: await tableOn(engine, await loadPackages()),
    key: 'orderId',
    run: async () => {
      if (holds) {
        running.resolve();
        await held.promise;
      }
      return result;
    },
  });

  const order = orderOf(200);
  const firstRun = await requests.during(() => call(order, context));
  const replay = await requests.during(() => call(order, context));

  holds = true;
  const slow = orderOf(200);
  const first = call(slow, context);
  await running.promise;
  const inProgress = await requests.during(async () => {
    const outcome = await call(slow, context).then(
      () => 'it ran or was replayed',
      () => 'refused',
    );
    if (outcome !== 'refused') throw new Error(`${contestant.name}: ${outcome}`);
  });
  held.resolve();
  await first;
  client.destroy();
  return { 'first run': firstRun, replay, 'in progress': inProgress };
}

function counterOf(client: DynamoDBClient): {
  during(work: () => Promise<unknown>): Promise<number>;
} {
  let count = 0;
  const { requestHandler } = client.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = (request, options) => {
    count += 1;
    return handle(request, options);
  };
  return {
    during: async (work) => {
      const before = count;
      await work();
      return count - before;
    },
  };
}
