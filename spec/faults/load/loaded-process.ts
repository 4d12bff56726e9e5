/*
 * A process under load. Bundled and run with plain node and --expose-gc; its plan is its only
 * argument. Prints what it saw and is then left to exit by itself.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { configureIdempotency } from '../../../lib/configuration/configure-idempotency.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/dynamodb-store.js';
import { systemClock, type Clock } from '../../../lib/time/clock.js';
import type { LoadPlan, LoadReport } from './plan.js';

const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan;
const SAMPLES = 40;

const client = new DynamoDBClient({
  endpoint: plan.endpoint,
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
/** Timers that neither went off nor were cancelled. They hold no process, so Node does not list them. */
let timers = 0;
const clock: Clock = {
  now: systemClock.now,
  setTimer(callback, delayMs) {
    let pending = true;
    timers += 1;
    const end = (): void => {
      if (pending) timers -= 1;
      pending = false;
    };
    const timer = systemClock.setTimer(() => {
      end();
      callback();
    }, delayMs);
    const cancel = (): void => {
      end();
      timer.cancel();
    };
    return { cancel, unref: timer.unref };
  },
};
configureIdempotency({ clock });
const store = new DynamoDBStore({ table: plan.table, client, clock, timeout: 60 });

/** Grows by design where it is told to: what the measurement has to find. */
const leak: unknown[] = [];
const counts = { executed: 0, replayed: 0, 'in-progress': 0 };
let runs = 0;
let calls = 0;

/** Every other call is a retry, of a call that has been over for a while. */
function keyOf(call: number): string {
  const number = call >> 1;
  const late = call % 2 === 1 && number > plan.inFlight;
  return `order-${String((late ? number - plan.inFlight : number) % plan.keys)}`;
}

async function callForever(endMs: number): Promise<void> {
  while (Date.now() < endMs) {
    const key = keyOf(calls++);
    const order = { key, lines: Array.from({ length: 10 }, (_, line) => ({ line, sku: key })) };
    const place = async () => {
      runs += 1;
      return order;
    };
    // Options of its own for every call: what is kept per options object has to go with it.
    const outcome = await runIdempotent(order, place, {
      ...{ key: () => key, namespace: 'load', store },
    });
    counts[outcome.status] += 1;
    if (plan.leaks) leak.push(new Array(1000).fill(order));
  }
}

function heapBytes(): number {
  // Twice: what finalizers let go of is collected the second time.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function resources(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => !/^(TTYWrap|PipeWrap|FSReqCallback)$/.test(name));
}

function listeners(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
}

async function run(): Promise<void> {
  const before = listeners();
  const startMs = Date.now();
  const endMs = startMs + plan.seconds * 1000;
  const heap: number[] = [];
  const timer = setInterval(() => heap.push(heapBytes()), (plan.seconds * 1000) / SAMPLES);
  await Promise.all(Array.from({ length: plan.inFlight }, () => callForever(endMs)));
  clearInterval(timer);
  client.destroy();
  // Sockets close in their own time, within a turn or two.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const report: LoadReport = {
    ...{
      calls,
      runs,
      counts,
      heap,
      timers,
      listeners: listeners() - before,
      resources: resources(),
    },
    ...{ seconds: (Date.now() - startMs) / 1000, endedMs: Date.now() },
  };
  process.stdout.write(JSON.stringify(report));
}

void run();
