/* How many calls a process completes in a second that always has 64 in flight. */
import { startDynamoDBLocal } from '../support/engines/dynamodb-local.js';
import type { Engine } from '../support/engines/engine.js';
import { context } from './context.js';
import { loadContestants } from './contestants/index.js';
import type { Call, ContestantName } from './contestants/contestant.js';
import { clientOfEngine, tableOn } from './engines.js';
import { loadPackages } from './packages.js';
import { orderOf, resultOf, type Order } from './payloads.js';
import { compare, type Row } from './row.js';
import { play, type Effort, type Turn } from './rounds.js';

const IN_FLIGHT = 64;
const CALLS_PER_TURN = 192;
const ROUNDS = 36;
const LIMIT = { atLeast: 0.97 };

/** DynamoDB Local alone: dynalite has one thread, which would be all that is measured. */
export async function measure(effort: Effort): Promise<Row[]> {
  const engine = await startDynamoDBLocal();
  try {
    const turns = await turnsOn(engine, effort.smoke ? IN_FLIGHT : CALLS_PER_TURN);
    await play(turns, effort.smoke ? 1 : 6);
    const samples = await play(turns, effort.smoke ? effort.rounds : ROUNDS);
    const what = `throughput on DynamoDB Local, first runs, ${String(IN_FLIGHT)} in flight`;
    return [compare({ what, unit: 'calls/s', samples, to: 'by hand', limit: LIMIT })];
  } finally {
    await engine.stop();
  }
}

async function turnsOn(engine: Engine, calls: number): Promise<Record<ContestantName, Turn>> {
  const packages = await loadPackages();
  const turns: Partial<Record<ContestantName, Turn>> = {};
  for (const contestant of await loadContestants()) {
    const result = resultOf(200);
    const call = contestant.protect({
      client: clientOfEngine(engine),
      table: await tableOn(engine, packages),
      key: 'orderId',
      run: () => Promise.resolve(result),
    });
    turns[contestant.name] = () => callsPerSecond(call, calls);
  }
  return turns as Record<ContestantName, Turn>;
}

async function callsPerSecond(call: Call, count: number): Promise<number> {
  const orders = Array.from({ length: count }, () => orderOf(200));
  const waiting = orders.values();
  const startMs = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, () => callEach(waiting, call)));
  return (count * 1000) / (performance.now() - startMs);
}

async function callEach(orders: Iterable<Order>, call: Call): Promise<void> {
  for (const order of orders) await call(order, context);
}
