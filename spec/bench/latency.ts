/* How long a call takes that has the engine to itself: one after the other, on real connections. */
import type { Engine } from '../support/engines/engine.js';
import { context } from './context.js';
import { loadContestants } from './contestants/index.js';
import type { Call, ContestantName } from './contestants/contestant.js';
import { clientOfEngine, engines, tableOn } from './engines.js';
import { loadPackages } from './packages.js';
import { orderOf, resultOf } from './payloads.js';
import { compare, type Row } from './row.js';
import { medianOfEach, play, type Effort, type Samples, type Turn } from './rounds.js';

/** Contestants alternate from call to call: an engine's mood lasts longer than one. */
const CALLS_PER_ROUND = 16;
/** Some of the calls before the warm-up, when the interpreter runs most of the code. */
const COLD_CALLS = 160;
/** Until all code is compiled. */
const WARM_UP_CALLS = 2000;
const LIMIT = { atMost: 1.03 };

export async function measure(effort: Effort): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, start] of Object.entries(engines)) {
    const engine = await start();
    try {
      rows.push(...(await measureOn(name, engine, effort)));
    } finally {
      await engine.stop();
    }
  }
  return rows;
}

async function measureOn(name: string, engine: Engine, effort: Effort): Promise<Row[]> {
  const packages = await loadPackages();
  const calls: Partial<Record<ContestantName, Call>> = {};
  for (const contestant of await loadContestants()) {
    const result = resultOf(200);
    calls[contestant.name] = contestant.protect({
      client: clientOfEngine(engine),
      table: await tableOn(engine, packages),
      key: 'orderId',
      run: () => Promise.resolve(result),
    });
  }
  const firstRuns = turnsOf(calls, (call) => () => {
    const order = orderOf(200);
    return timed(() => call(order, context));
  });
  const known = orderOf(200);
  const replays = turnsOf(calls, (call) => () => timed(() => call(known, context)));

  const rows: Row[] = [];
  for (const [kind, turns] of Object.entries({ 'first run': firstRuns, replay: replays })) {
    const perRound = effort.smoke ? 1 : CALLS_PER_ROUND;
    const row = (what: string, samples: Samples<ContestantName>, limit?: typeof LIMIT): Row =>
      compare({
        what: `latency on ${name}, ${kind}${what}`,
        unit: 'ms',
        samples: medianOfEach(samples, perRound),
        to: 'by hand',
        ...(limit && { limit }),
      });
    // Connections, and the record that is replayed from then on.
    await play(turns, 1);
    const cold = await play(turns, effort.smoke ? 1 : COLD_CALLS);
    await play(turns, effort.smoke ? 1 : WARM_UP_CALLS);
    const warm = await play(turns, effort.rounds * perRound);
    rows.push(row('', warm, LIMIT), row(', before the warm-up', cold));
  }
  return rows;
}

function turnsOf(
  calls: Partial<Record<ContestantName, Call>>,
  turnOf: (call: Call) => Turn,
): Record<ContestantName, Turn> {
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, turnOf(call)]),
  ) as Record<ContestantName, Turn>;
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await call();
  return performance.now() - startMs;
}
