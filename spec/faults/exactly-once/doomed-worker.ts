/*
 * A process that places one order and is killed on the way. Bundled and run with plain node; its
 * plan is its only argument.
 */
import { DynamoDBClient, UpdateItemCommand, type RequestSteps } from './bare-sdk.js';
import type { DoomedPlan, KillPoint } from './doomed-plan.js';
import { placeOrder, type Effecting } from './order.js';

const plan = JSON.parse(process.argv[2] ?? '') as DoomedPlan;

/** Dies at this very moment, with nothing flushed, closed or told. */
async function dieAt(point: KillPoint): Promise<void> {
  if (plan.point !== point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

const stepNames: Readonly<Record<string, 'claim' | 'commit'>> = {
  PutItem: 'claim',
  TransactWriteItems: 'commit',
};

const steps: RequestSteps = {
  async before(operation) {
    const step = stepNames[operation];
    if (step !== undefined) await dieAt(`before-${step}`);
  },
  sent(operation) {
    const step = stepNames[operation];
    if (step === undefined || plan.point !== `${step}-sent`) return;
    // The engine may have applied it by then or not.
    setTimeout(() => void dieAt(`${step}-sent`), plan.delayMs);
  },
  async replied(operation) {
    const step = stepNames[operation];
    if (step !== undefined) await dieAt(`${step}-replied`);
  },
};

async function run(): Promise<void> {
  const client = new DynamoDBClient({ endpoint: plan.endpoint, steps });
  const plainly: Effecting = async ({ Update }) => {
    await client.send(new UpdateItemCommand(Update));
  };
  process.stdout.write('ready');
  const inside = {
    begun: () => dieAt('method-begun'),
    deferred: () => dieAt('write-deferred'),
  };
  await placeOrder(plan, client, inside, plan.plain ? plainly : undefined);
  await dieAt('returned');
}

void run();
