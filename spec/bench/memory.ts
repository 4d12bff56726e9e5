/* What a call leaves behind (nothing, however many keys there have been), and holds meanwhile. */
import { acceptingClient, stubbedClient } from './clients.js';
import { deferred } from '../support/deferred.js';
import { context } from './context.js';
import { loadContestants } from './contestants/index.js';
import type { Contestant, ContestantName } from './contestants/contestant.js';
import { orderOf, resultOf } from './payloads.js';
import { exactly, type Row } from './row.js';
import type { Effort } from './rounds.js';

const KEYS = 100_000;
/** Until everything is loaded and compiled. */
const WARM_UP = 20_000;
/** Three bytes a key are what the compiler's own comings and goings come to. */
const FLAT_KB = 300;
const IN_FLIGHT = 4096;

export async function measure({ smoke }: Effort): Promise<Row[]> {
  const scale = smoke ? 0.001 : 1;
  const growth: Partial<Record<ContestantName, number>> = {};
  const held: Partial<Record<ContestantName, number>> = {};
  for (const contestant of await loadContestants()) {
    growth[contestant.name] = await growthOf(contestant, scale);
    held[contestant.name] = await heldInFlight(contestant);
  }
  const { mayfly = NaN } = growth;
  return [
    {
      what: `memory, heap after ${String(KEYS)} keys, over before`,
      unit: 'KB',
      figures: figuresOf(growth),
      bar: { text: `flat: ≤ ${String(FLAT_KB)} KB`, met: mayfly <= FLAT_KB },
    },
    {
      what: 'memory, held by a call that waits for its claim',
      unit: 'bytes',
      figures: figuresOf(held),
    },
  ];
}

function figuresOf(values: Partial<Record<ContestantName, number>>): Row['figures'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, exactly(Math.round(value))]),
  );
}

async function growthOf(contestant: Contestant, scale: number): Promise<number> {
  const result = resultOf(200);
  const call = contestant.protect({
    client: acceptingClient(),
    table: 'idempotency',
    key: 'orderId',
    run: () => Promise.resolve(result),
  });
  const callTimes = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await call(orderOf(200), context);
  };
  await callTimes(WARM_UP * scale);
  const before = await heapKilobytes();
  await callTimes(KEYS * scale);
  return (await heapKilobytes()) - before;
}

/** Of many calls that the engine has not answered, what one has on the heap. */
async function heldInFlight(contestant: Contestant): Promise<number> {
  const answer = deferred<object>();
  const call = contestant.protect({
    client: stubbedClient(() => answer.promise),
    table: 'idempotency',
    key: 'orderId',
    run: () => Promise.resolve('placed'),
  });
  const orders = Array.from({ length: IN_FLIGHT }, () => orderOf(200));
  const before = await heapKilobytes();
  const calls = orders.map((order) => call(order, context));
  const held = (await heapKilobytes()) - before;
  answer.resolve({ $metadata: {} });
  await Promise.all(calls);
  return (held * 1000) / IN_FLIGHT;
}

async function heapKilobytes(): Promise<number> {
  if (gc === undefined) throw new Error('Start it with --expose-gc');
  // What finalizers let go of is there for the second collection.
  gc();
  await new Promise(setImmediate);
  gc();
  return process.memoryUsage().heapUsed / 1000;
}
