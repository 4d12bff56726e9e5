import { setTimeout } from 'node:timers/promises';
import { withIdempotency } from '../../../lib/index.js';
import { redeliverEventBridge, redeliverSqs } from '../redeliver.js';
import { sampleEvents } from '../sample-events.js';
import { killInMidRun, type DoomedDelivery } from './doomed-process.js';
import type { Scenario, Stage } from './scenario.js';

/** The process dies before the order is placed: the redelivery waits for its lease and runs. */
export const killedBeforeEffect: Scenario = {
  title: 'SQS: killed before the effect',
  orderIds: ['order-2003'],
  async run(stage) {
    const handler = stage.handler();
    let event = sampleEvents.sqsOneRecord();
    const receiveAgain = async (): Promise<void> => {
      const received = (event = redeliverSqs(event));
      await stage.deliverBatch(received, (context) => handler.sqs(received, context));
    };
    const { pid, killedAtMs } = await dieWith(stage, { dies: 'before-effect', event });

    await receiveAgain();
    await leaseOver(stage);
    await receiveAgain();
    const takenOverMs = Date.now() - killedAtMs;
    await receiveAgain();
    const after =
      stage.tally.takeovers === 1
        ? `taken over ${seconds(takenOverMs)} later, when its lease had ended`
        : 'NOT taken over';
    return `process ${String(pid)} was killed (SIGKILL) in mid-run, before it placed the order; ${after}`;
  },
};

/** It dies after the order is placed and before that is recorded: running again is not allowed. */
export const killedAfterEffect: Scenario = {
  title: 'EventBridge: killed after it',
  orderIds: ['order-4002'],
  async run(stage) {
    const handler = stage.handler();
    const event = sampleEvents.eventBridgeSecond();
    const retry = async (): Promise<void> =>
      withIdempotency({ onExpiredClaim: 'reject' }, async () =>
        stage.deliver((context) => handler.eventBridge(redeliverEventBridge(event), context)),
      );
    const { pid } = await dieWith(stage, { dies: 'after-effect', event });

    await retry();
    await leaseOver(stage);
    await retry();
    return `process ${String(pid)} was killed after it placed the order and before it recorded that; with onExpiredClaim: 'reject' no retry runs it again, an operator decides`;
  },
};

async function dieWith(
  stage: Stage,
  delivery: DoomedDelivery,
): Promise<{ pid: number; killedAtMs: number }> {
  const { location, log, tally } = stage;
  tally.deliveries += 1;
  const pid = await killInMidRun({ delivery, location, logFile: log.file });
  tally.errors += 1;
  return { pid, killedAtMs: Date.now() };
}

/** The one real wait of the demo: until a refused call may be repeated, as its error says. */
async function leaseOver({ tally }: Stage): Promise<void> {
  await setTimeout(Math.max(0, tally.retryAtMs - Date.now()) + 1);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
