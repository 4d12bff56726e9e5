import type { APIGatewayProxyResult, Context } from 'aws-lambda';
import { deferred } from '../../support/deferred.js';
import { lambdaContext } from '../lambda-context.js';
import { OrderHandler } from '../order-handler.js';
import type { PlacedOrder } from '../order.js';
import type { TableLocation } from './demo-table.js';
import type { EffectsLog } from './effects-log.js';
import { LoggedOrders, type Interference } from './logged-orders.js';
import { PaymentTimeout, type Tally } from './tally.js';

/** One event (or batch), and what is done to it. */
export interface Scenario {
  readonly title: string;
  readonly orderIds: readonly string[];
  /** Resolves to what is worth saying about it, where the numbers do not. */
  run(stage: Stage): Promise<string | undefined>;
}

/** Where a scenario happens. */
export class Stage {
  constructor(
    readonly tally: Tally,
    readonly log: EffectsLog,
    readonly location: TableLocation,
  ) {}

  handler(interference?: Interference): OrderHandler {
    return new OrderHandler(new LoggedOrders(this.log, interference));
  }

  /** A delivery of one order; what its caller gets is kept as an answer. */
  async deliver(
    invoke: (context: Context) => Promise<APIGatewayProxyResult | PlacedOrder>,
  ): Promise<void> {
    const answer = await this.tally.deliver(1, async () => invoke(lambdaContext()));
    if (answer === undefined) return;
    if ('orderId' in answer) this.tally.answers.push(answer);
    else if (answer.statusCode === 201) {
      this.tally.answers.push(JSON.parse(answer.body) as PlacedOrder);
    }
  }

  /** A delivery of a batch; what is answered names the records that failed. */
  async deliverBatch(
    event: { readonly Records: readonly unknown[] },
    invoke: (context: Context) => Promise<unknown>,
  ): Promise<void> {
    await this.tally.deliver(event.Records.length, async () => invoke(lambdaContext()));
  }
}

/**
 * Holds a run until `others` other deliveries have their answers, so that they meet it in progress.
 * A second run, which must not be, opens it as well.
 */
export function holdUntilAnswered(others: number): {
  readonly interference: Interference;
  answered(): void;
} {
  const gate = deferred();
  let runs = 0;
  let answers = 0;
  return {
    interference: {
      beforeEffect: () => {
        runs += 1;
        if (runs > 1) gate.resolve();
        return gate.promise;
      },
    },
    answered: () => {
      answers += 1;
      if (answers === others) gate.resolve();
    },
  };
}

/** Makes the first run of that order fail before its effect. */
export function failFirstRun(orderId: string): Interference {
  let failed = false;
  return {
    beforeEffect: (order) => {
      if (failed || order.orderId !== orderId) return;
      failed = true;
      throw new PaymentTimeout('The payment service did not answer');
    },
  };
}
