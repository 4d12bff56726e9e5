/* Cost against size and number, on a stubbed `client.send`: nothing grows faster than it has to. */
import { stubbedClient } from './clients.js';
import { context } from './context.js';
import { loadContestants } from './contestants/index.js';
import type { Call, Contestant, ContestantName } from './contestants/contestant.js';
import { loadPackages } from './packages.js';
import { ordersOf, orderOf, type Order } from './payloads.js';
import { spreads, type Row } from './row.js';
import { cpuTurn, play, spreadOf, type Effort, type Samples, type Turn } from './rounds.js';
import { firstRun, race, replay } from './scenarios.js';

const depth = 'library';
const sizes = [200, 2_000, 20_000, 200_000];
const inFlight = [1, 8, 64, 512, 4096];
const methods = [1, 10, 100, 1_000];
const keysSeen = [1_000, 10_000, 100_000];

/** What processor caches and the collector may have to say. */
const TOLERANCE = 1.5;

/** What one call costs at one place of an axis. */
interface Point {
  readonly at: number;
  readonly samples: Partial<Samples<ContestantName>>;
}

export async function measure(given: Effort): Promise<Row[]> {
  const effort = {
    ...given,
    rounds: given.smoke ? given.rounds : 30,
    turnMs: given.turnMs / 2,
    warmUpMs: given.warmUpMs / 2,
  };
  const contestants = await loadContestants();
  const along = (axis: readonly number[], samplesAt: (at: number) => Promise<Point['samples']>) =>
    pointsAlong(given.smoke ? axis.slice(0, 2) : axis, samplesAt);

  return [
    ...rowsOf(
      'first run, default key, event of',
      kilobytes,
      await along(sizes, (eventBytes) =>
        race(contestants, firstRun({ depth, key: 'event', eventBytes, resultBytes: 200 }), effort),
      ),
      'linear',
    ),
    ...rowsOf(
      'first run, result of',
      kilobytes,
      await along(sizes, (resultBytes) =>
        race(
          contestants,
          firstRun({ depth, key: 'orderId', eventBytes: 200, resultBytes }),
          effort,
        ),
      ),
      'linear',
    ),
    ...rowsOf(
      'replay, result of',
      kilobytes,
      await along(sizes, (resultBytes) =>
        race(contestants, replay({ depth, resultBytes }), effort),
      ),
      'linear',
    ),
    ...rowsOf(
      'a call of several in flight:',
      String,
      await along(inFlight, (count) => inFlightAt(count, contestants, effort)),
      'flat',
    ),
    ...rowsOf(
      'a call, decorated methods:',
      String,
      await along(methods, (count) => methodsAt(count, effort)),
      'flat',
    ),
    ...rowsOf(
      'decoration, decorated methods:',
      String,
      await along(methods, (count) => decorationAt(count, effort)),
      'flat',
    ),
    ...rowsOf('a call, keys seen:', String, await keysAt(given), 'flat'),
  ];
}

async function pointsAlong(
  axis: readonly number[],
  samplesAt: (at: number) => Promise<Point['samples']>,
): Promise<Point[]> {
  const points: Point[] = [];
  for (const at of axis) points.push({ at, samples: await samplesAt(at) });
  return points;
}

/** One row a point; the last one has the bar. */
function rowsOf(
  what: string,
  label: (at: number) => string,
  points: readonly Point[],
  bar: 'linear' | 'flat',
): Row[] {
  const costs = points.map(({ samples }) => spreadOf(samples.mayfly ?? []).median);
  const met = costs.every((cost, i) => {
    if (i === 0) return true;
    return bar === 'flat'
      ? cost <= costs[0]! * TOLERANCE
      : cost / costs[i - 1]! <= (points[i]!.at / points[i - 1]!.at) * TOLERANCE;
  });
  return points.map(({ at, samples }, i) => ({
    what: `growth: ${what} ${label(at)}`,
    unit: 'µs',
    figures: spreads(samples),
    ...(i === points.length - 1 && {
      bar: { text: bar === 'flat' ? 'flat' : 'at most linear', met },
    }),
  }));
}

/** Calls that all wait at the same moment; the network answers everybody at once. */
async function inFlightAt(
  count: number,
  contestants: readonly Contestant[],
  effort: Effort,
): Promise<Samples<ContestantName>> {
  const orders = Array.from({ length: count }, () => orderOf(200));
  const turns: Partial<Record<ContestantName, Turn>> = {};
  for (const contestant of contestants) {
    const call = contestant.protect({
      client: answeringLater(),
      table: 'idempotency',
      key: 'orderId',
      run: () => Promise.resolve({ status: 'placed' }),
    });
    const turn = await cpuTurn(
      () => Promise.all(orders.map((order) => call(order, context))),
      effort,
      1,
    );
    turns[contestant.name] = async () => (await turn()) / count;
  }
  return play(turns as Record<ContestantName, Turn>, effort.rounds);
}

function answeringLater(): ReturnType<typeof stubbedClient> {
  const output = { $metadata: { httpStatusCode: 200, attempts: 1 } };
  let answer: Promise<unknown> | undefined;
  return stubbedClient(
    () =>
      (answer ??= new Promise((resolve) => {
        setImmediate(() => {
          answer = undefined;
          resolve(output);
        });
      })),
  );
}

/** The methods of one class on one store, called in turn. */
async function methodsAt(count: number, effort: Effort): Promise<Point['samples']> {
  const { calls } = await decorated(count);
  const orders = ordersOf(200);
  let next = 0;
  const turn = await cpuTurn(() => {
    const i = next++;
    return calls[i % count]!(orders[i % orders.length]!, context);
  }, effort);
  return play({ mayfly: turn }, effort.rounds);
}

async function decorationAt(count: number, effort: Effort): Promise<Point['samples']> {
  const rounds = Math.min(effort.rounds, Math.max(2, Math.round(20_000 / count)));
  const turn: Turn = async () => (await decorated(count)).decorationUs / count;
  await play({ mayfly: turn }, rounds);
  return play({ mayfly: turn }, rounds);
}

async function decorated(
  count: number,
): Promise<{ readonly calls: readonly Call[]; readonly decorationUs: number }> {
  const { mayfly, mayflyDynamoDB } = await loadPackages();
  const output = { $metadata: { httpStatusCode: 200, attempts: 1 } };
  const store = new mayflyDynamoDB.DynamoDBStore({
    client: stubbedClient(() => Promise.resolve(output)),
    table: 'idempotency',
  });
  class Orders {}
  const prototype = Orders.prototype as Record<string, unknown>;
  const names = Array.from({ length: count }, (_, i) => `place${String(i)}`);
  const startMs = performance.now();
  for (const name of names) {
    const value = (): Promise<unknown> => Promise.resolve({ status: 'placed' });
    const decorate = mayfly.Idempotent({
      key: ({ orderId }: Order) => orderId,
      namespace: name,
      store,
    }) as unknown as LegacyDecorator;
    const descriptor = { value, writable: true, configurable: true };
    Object.defineProperty(prototype, name, decorate(prototype, name, descriptor) ?? descriptor);
  }
  const decorationUs = (performance.now() - startMs) * 1000;
  const orders = new Orders() as Record<string, Call>;
  return { calls: names.map((name) => orders[name]!.bind(orders)), decorationUs };
}

type LegacyDecorator = (
  target: object,
  name: string,
  descriptor: PropertyDescriptor,
) => PropertyDescriptor | undefined;

/** The same method, at ever more keys that it has seen. */
async function keysAt(effort: Effort): Promise<Point[]> {
  const { calls } = await decorated(1);
  const call = calls[0]!;
  let seen = 0;
  const callTimes = async (count: number): Promise<void> => {
    for (const end = seen + count; seen < end; seen++) {
      await call({ orderId: `order-${String(seen)}` }, context);
    }
  };
  const turn = await cpuTurn(() => callTimes(1), effort);
  const points: Point[] = [];
  for (const at of effort.smoke ? keysSeen.slice(0, 1) : keysSeen) {
    await callTimes(Math.max(0, at - seen));
    points.push({ at, samples: await play({ mayfly: turn }, effort.rounds) });
  }
  return points;
}

function kilobytes(bytes: number): string {
  return bytes < 1000 ? `${String(bytes)} B` : `${String(bytes / 1000)} KB`;
}
