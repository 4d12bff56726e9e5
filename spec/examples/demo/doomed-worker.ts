import { configureIdempotency, withIdempotency } from '../../../lib/index.js';
import { lambdaContext } from '../lambda-context.js';
import { OrderHandler } from '../order-handler.js';
import { storeAt } from './demo-table.js';
import type { DoomedTask } from './doomed-process.js';
import { EffectsLog } from './effects-log.js';
import { LoggedOrders } from './logged-orders.js';

/** Short, since somebody waits for its end; long enough for the first request of a process. */
const INVOCATION_MS = 1500;

/** Handles its event up to the moment it is to die at, says so, and goes no further. */
async function work({ location, logFile, delivery }: DoomedTask): Promise<unknown> {
  const store = storeAt(location);
  configureIdempotency({ store });
  const stop = async (): Promise<void> => {
    process.send?.('in mid-run');
    await new Promise<never>(() => {});
  };
  const handler = new OrderHandler(
    new LoggedOrders(
      new EffectsLog(logFile),
      delivery.dies === 'before-effect' ? { beforeEffect: stop } : { afterEffect: stop },
    ),
  );
  // Opens the connection, which Lambda's init phase would have done.
  await store.get('warm-up');
  const context = lambdaContext(INVOCATION_MS);
  return delivery.dies === 'before-effect'
    ? handler.sqs(delivery.event, context)
    : withIdempotency({ onExpiredClaim: 'reject' }, async () =>
        handler.eventBridge(delivery.event, context),
      );
}

// The channel to the parent keeps the process alive while it waits; without it, it has to end.
process.once('disconnect', () => process.exit(1));
work(JSON.parse(process.argv[2] ?? '') as DoomedTask).then(
  () => process.exit(2),
  (error: unknown) => {
    console.error(error);
    process.exit(3);
  },
);
