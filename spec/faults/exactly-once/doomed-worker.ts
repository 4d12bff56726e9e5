/*
 * A process that places one order and is killed on the way. Bundled and run with plain node; its
 * plan is its only argument.
 */
import { UpdateItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientOf } from '../../support/engines/engine.js';
import type { DoomedPlan, KillPoint } from './doomed-plan.js';
import { placeOrder, type Effecting } from './order.js';

const plan = JSON.parse(process.argv[2] ?? '') as DoomedPlan;

/** Dies at this very moment, with nothing flushed, closed or told. */
async function dieAt(point: KillPoint): Promise<void> {
  if (plan.point !== point) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => undefined);
}

/** Dies around the requests, as close to the network as the SDK lets anybody. */
function dieAround(client: DynamoDBClient): DynamoDBClient {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const step = stepOf(context['commandName']);
      if (step === undefined) return next(args);
      await dieAt(`before-${step}`);
      const reply = next(args);
      if (plan.point === `${step}-sent`) {
        // The reply may be here by then or not.
        setTimeout(() => void dieAt(`${step}-sent`), plan.delayMs);
      }
      await reply;
      await dieAt(`${step}-replied`);
      return reply;
    },
    { step: 'deserialize', priority: 'low', name: 'dieAround' },
  );
  return client;
}

function stepOf(command: unknown): 'claim' | 'commit' | undefined {
  if (command === 'PutItemCommand') return 'claim';
  return command === 'TransactWriteItemsCommand' ? 'commit' : undefined;
}

async function run(): Promise<void> {
  const client = dieAround(clientOf(plan.endpoint));
  const plainly: Effecting = async ({ Update }) => {
    await client.send(new UpdateItemCommand(Update));
  };
  process.stdout.write('ready');
  const steps = {
    begun: () => dieAt('method-begun'),
    deferred: () => dieAt('write-deferred'),
  };
  await placeOrder(plan, client, steps, plan.plain ? plainly : undefined);
  await dieAt('returned');
}

void run();
