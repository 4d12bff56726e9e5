import { withIdempotency } from '../../../lib/configuration/with-idempotency.js';
import { commitWith } from '../../../lib/execution/index.js';
import type { Outcome } from '../../../lib/execution/outcome.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import type { DynamoDBClientLike } from '../../../lib/store/dynamodb/client.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/dynamodb-store.js';
import { systemClock, type Clock } from '../../../lib/time/clock.js';
import { effectWrite } from './audit.js';

/** One attempt to place an order, in whichever process. */
export interface Attempt {
  readonly records: string;
  readonly effects: string;
  readonly key: string;
  readonly attempt: string;
  /** How far this caller's clock is ahead: later attempts come after the leases of earlier ones. */
  readonly aheadMs: number;
}

/** What the method does with its business write. */
export type Effecting = (write: ReturnType<typeof effectWrite>) => void | Promise<void>;

/** Steps inside the method at which something may happen. */
export interface Steps {
  begun?(): void | Promise<void>;
  deferred?(): void | Promise<void>;
}

const committed: Effecting = (write) => {
  commitWith([write]);
};

/** Places an order; its effect is committed with the record, unless told otherwise. */
export function placeOrder(
  { records, effects, key, attempt, aheadMs }: Attempt,
  client: DynamoDBClientLike,
  steps: Steps = {},
  effecting: Effecting = committed,
): Promise<Outcome<{ attempt: string }>> {
  const clock: Clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const store = new DynamoDBStore({ table: records, client, clock });
  return withIdempotency({ store, clock }, () =>
    runIdempotent(
      { key },
      async () => {
        await steps.begun?.();
        await effecting(effectWrite(effects, key, attempt));
        await steps.deferred?.();
        return { attempt };
      },
      { key: (order) => order.key, lease: 1, renewFor: 0 },
    ),
  );
}
