import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import type { SQSEvent } from 'aws-lambda';
import { createIdempotencyTable, DynamoDBStore } from '../../lib/store/dynamodb/index.js';
import type { Order, PlacedOrder } from '../examples/order.js';
import { sampleEvents } from '../examples/sample-events.js';
import { deferred } from '../support/deferred.js';
import { startDynalite } from '../support/engines/dynalite.js';
import { clientOf, type Engine } from '../support/engines/engine.js';
import { bundleHandler, type TaskRoot } from './bundle.js';
import { Environment } from './environment.js';
import { Payments } from './payments.js';
import type { Outcome } from './runtime-api.js';
import { installRuntimes, lambdaRuntimes } from './runtimes.js';

const table = 'lambda-idempotency';
/** Long enough for a cold SDK on a busy machine to make its claim, short enough to be waited for. */
const SHORT_TIMEOUT_MS = 3000;

let orders = 0;

/** An order of its own for each spec. What must not be seen in logs has a word of its own in it. */
function anOrder(): Order {
  orders += 1;
  return {
    orderId: `order-key-${String(orders)}`,
    customerId: 'secret-customer',
    currency: 'EUR',
    lines: [{ sku: 'notebook', quantity: 1, unitAmount: 4200 }],
    totalAmount: 4200,
  };
}

function placedIn(outcome: Outcome | undefined): PlacedOrder {
  if (outcome === undefined || !('payload' in outcome)) {
    throw new Error(`No order was placed: ${JSON.stringify(outcome)}`);
  }
  return outcome.payload as PlacedOrder;
}

function errorTypeOf(outcome: Outcome): string | undefined {
  return 'error' in outcome ? outcome.error.errorType : undefined;
}

/** Real time, as Lambda's own: the processes of this spec know no other clock. */
function untilAfter(momentMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, momentMs + 20 - Date.now()));
}

describe("Lambda's own runtime client", () => {
  let engine: Engine;
  let taskRoot: TaskRoot;
  let payments: Payments;
  let store: DynamoDBStore;
  let environments: Environment[];

  before('install the clients, bundle the handler, start the table', async function () {
    this.timeout(900_000); // The first run builds the clients.
    installRuntimes();
    taskRoot = await bundleHandler();
    engine = await startDynalite();
    payments = await Payments.open();
    const client = clientOf(engine.endpoint);
    await createIdempotencyTable({ table, client });
    store = new DynamoDBStore({ table, client });
  });

  after('stop them', async () => {
    await payments.close();
    await engine.stop();
    await taskRoot.dispose();
  });

  beforeEach(() => {
    environments = [];
  });

  afterEach('end the environments', async () => {
    await Promise.all(environments.map((environment) => environment.close()));
  });

  const putCorruptRecord = async (orderId: string): Promise<void> => {
    await clientOf(engine.endpoint).send(
      new PutItemCommand({
        TableName: table,
        Item: {
          id: { S: `ledger#${orderId}` },
          status: { S: 'COMPLETED' },
          expires_at: { N: String(Math.ceil(Date.now() / 1000) + 3600) },
          result: { S: '{"id":"receipt-' },
        },
      }),
    );
  };

  for (const runtime of lambdaRuntimes) {
    const environmentOf = async (
      handler: string,
      variables: Record<string, string> = {},
    ): Promise<Environment> => {
      const environment = await Environment.open({
        runtime,
        taskRoot: taskRoot.folder,
        handler: `index.${handler}`,
        variables: {
          MAYFLY_IDEMPOTENCY_TABLE: table,
          AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
          PAYMENTS_URL: payments.url,
          ...variables,
        },
      });
      environments.push(environment);
      return environment;
    };

    describe(`${runtime.client} on Node ${String(runtime.nodeMajor)}`, () => {
      // F67
      it('sees two parameters, and the method by its own name', async () => {
        const environment = await environmentOf('shape');

        expect(await environment.invoke({})).to.deep.equal({
          payload: { name: 'place', length: 2, boundLength: 2 },
        });
      });

      if (runtime.client === '4.0.2') {
        // F67: what a third parameter would come to.
        it('refuses a handler that declares three', async () => {
          const environment = await environmentOf('withCallback');

          expect((await environment.init())?.errorType).to.equal(
            'Runtime.CallbackHandlerDeprecated',
          );
        });
      }

      // F36
      it('gets the same payload again, from whichever environment, without a warning', async () => {
        const [first, second] = [await environmentOf('place'), await environmentOf('place')];
        const order = anOrder();

        const placed = placedIn(await first.invoke(order));
        const again = [await first.invoke(order), await second.invoke(order)];

        expect(placed.id).to.match(/^receipt-/);
        expect(Date.parse(placed.placedAt)).to.be.closeTo(Date.now(), 30_000);
        expect(again.map(placedIn)).to.deep.equal([placed, placed]);
        expect(payments.timesAsked(order.orderId)).to.equal(1);
        expect(first.stderr + second.stderr).not.to.match(/idempot|mayfly/i);
      });

      it('gets the error of a failed run, whose record is gone, and the retry runs', async () => {
        const environment = await environmentOf('place');
        const order = anOrder();
        payments.decline(order.orderId);

        expect(await environment.invoke(order)).to.deep.equal({
          error: { errorType: 'PaymentDeclined', errorMessage: 'The payment was declined' },
        });
        expect(await store.get(`orders#${order.orderId}`)).to.equal(undefined);

        expect(placedIn(await environment.invoke(order)).orderId).to.equal(order.orderId);
        expect(payments.timesAsked(order.orderId)).to.equal(2);
      });

      it('runs one of four parallel invocations, and the others are in progress', async () => {
        const parallel = await Promise.all([1, 2, 3, 4].map(() => environmentOf('place')));
        await Promise.all(parallel.map((environment) => environment.init()));
        const order = anOrder();
        const charge = payments.hold(order.orderId);
        const othersRefused = deferred();
        const refused: (string | undefined)[] = [];

        const outcomes = parallel.map(async (environment) => {
          const outcome = await environment.invoke(order);
          if ('error' in outcome) refused.push(errorTypeOf(outcome));
          if (refused.length === 3) othersRefused.resolve();
          return outcome;
        });
        await charge.arrived;
        await othersRefused.promise;
        charge.answer(true);
        const placed = (await Promise.all(outcomes)).filter((outcome) => 'payload' in outcome);

        expect(refused).to.deep.equal(Array(3).fill('IdempotencyInProgressError'));
        expect(placed).to.have.lengthOf(1);
        expect(payments.timesAsked(order.orderId)).to.equal(1);
        const replays = await Promise.all(parallel.map((environment) => environment.invoke(order)));
        expect(replays).to.deep.equal(Array(4).fill(placed[0]));
      });

      // F33, F36
      it('retries a timed-out invocation once its claim and the clock skew are over', async () => {
        const environment = await environmentOf('place');
        const order = anOrder();
        const id = `orders#${order.orderId}`;
        payments.hold(order.orderId);

        const killed = await environment.invoke(order, { timeoutMs: SHORT_TIMEOUT_MS });
        expect(errorTypeOf(killed)).to.equal('Sandbox.Timedout');
        const { deadlineMs } = environment;
        const record = await store.get(id);
        expect(record).to.include({ id, status: 'INPROGRESS' });
        expect(record?.inProgressUntilMs).to.be.closeTo(deadlineMs, 50);
        const { takeoverAtMs = 0 } = record ?? {};
        expect(takeoverAtMs).to.equal((record?.inProgressUntilMs ?? 0) + 1000);

        await untilAfter(takeoverAtMs);
        const retried = placedIn(await environment.invoke(order));
        expect(payments.timesAsked(order.orderId)).to.equal(2);
        expect(placedIn(await environment.invoke(order))).to.deep.equal(retried);
      });

      // F41
      it('reports a message whose first delivery was killed, until its claim is over', async () => {
        const [first, second] = [await environmentOf('sqs'), await environmentOf('sqs')];
        await second.init();
        const order = anOrder();
        const event = delivery(sampleEvents.sqsOneRecord(), [order]);
        payments.hold(order.orderId);

        const killed = await first.invoke(event, { timeoutMs: SHORT_TIMEOUT_MS });
        expect(errorTypeOf(killed)).to.equal('Sandbox.Timedout');
        expect(await second.invoke(event)).to.deep.equal({ payload: failuresOf(event, [0]) });
        expect(payments.timesAsked(order.orderId)).to.equal(1);

        const record = await store.get(`orders#${order.orderId}`);
        await untilAfter(record?.takeoverAtMs ?? 0);
        expect(await second.invoke(event)).to.deep.equal({ payload: failuresOf(event, []) });
        expect(payments.timesAsked(order.orderId)).to.equal(2);
      });

      it('reports what failed of a batch, and replays the rest when it comes again', async () => {
        const [first, second] = [await environmentOf('sqs'), await environmentOf('sqs')];
        const [good, bad] = [anOrder(), anOrder()];
        const event = delivery(sampleEvents.sqs(), [good, bad]);
        const timesAsked = (): number[] =>
          [good, bad].map(({ orderId }) => payments.timesAsked(orderId));
        payments.decline(bad.orderId);

        expect(await first.invoke(event)).to.deep.equal({ payload: failuresOf(event, [1]) });
        expect(timesAsked()).to.deep.equal([1, 1]);

        // SQS delivers the whole batch once more now and then, whatever was reported.
        const charge = payments.hold(bad.orderId);
        const slow = first.invoke(event);
        await charge.arrived;
        expect(await second.invoke(event)).to.deep.equal({ payload: failuresOf(event, [1]) });
        charge.answer(true);
        expect(await slow).to.deep.equal({ payload: failuresOf(event, []) });
        expect(await second.invoke(event)).to.deep.equal({ payload: failuresOf(event, []) });
        expect(timesAsked()).to.deep.equal([1, 2]);
      });

      for (const format of ['TEXT', 'JSON']) {
        it(`shows no key, payload or result in its ${format} error logs`, async () => {
          const variables = { AWS_LAMBDA_LOG_FORMAT: format };
          const [one, other] = [
            await environmentOf('book', variables),
            await environmentOf('book', variables),
          ];
          const misled = await environmentOf('book', {
            ...variables,
            MAYFLY_IDEMPOTENCY_TABLE: 'absent',
          });
          const order = anOrder();

          // An operator forgets the claim of a run that is thought dead, and the retry takes it over.
          const held = payments.hold(order.orderId);
          const late = one.invoke(order);
          await held.arrived;
          const outcomes = [await other.invoke(order)];
          await store.forget(`ledger#${order.orderId}`, { force: true });
          placedIn(await other.invoke(order));
          held.answer(true);
          outcomes.push(await late);

          outcomes.push(await one.invoke({ ...order, totalAmount: 1 }));
          outcomes.push(await one.invoke({ ...order, orderId: ' ' }));
          outcomes.push(await one.invoke({ ...order, orderId: `${order.orderId}-undefined` }));
          const corrupt = { ...order, orderId: `${order.orderId}-corrupt` };
          await putCorruptRecord(corrupt.orderId);
          outcomes.push(await one.invoke(corrupt));
          outcomes.push(await misled.invoke(order));
          const declined = { ...order, orderId: `${order.orderId}-declined` };
          payments.decline(declined.orderId);
          outcomes.push(await one.invoke(declined));

          expect(outcomes.map(errorTypeOf)).to.deep.equal([
            'IdempotencyInProgressError',
            'IdempotencyClaimLostError',
            'IdempotencyPayloadMismatchError',
            'IdempotencyKeyError',
            'IdempotencyKeyError',
            'IdempotencyRecordError',
            'IdempotencyStoreError',
            'PaymentDeclined',
          ]);
          const shown = [one, other, misled].map((environment) => environment.shown).join('');
          for (const code of [
            'ERR_IDEMPOTENCY_IN_PROGRESS',
            'ERR_IDEMPOTENCY_CLAIM_LOST',
            'ERR_IDEMPOTENCY_PAYLOAD_MISMATCH',
            'ERR_IDEMPOTENCY_KEY',
            'ERR_IDEMPOTENCY_RECORD',
            'ERR_IDEMPOTENCY_STORE',
            'The payment was declined',
          ]) {
            expect(shown).to.include(code);
          }
          expect(shown).to.include('"retryAfterMs":');
          for (const secret of ['order-key', 'secret-customer', 'notebook', 'receipt-']) {
            expect(shown).not.to.include(secret);
          }
        });
      }
    });
  }
});

/** The sample event with these orders in its records. */
function delivery(event: SQSEvent, bodies: readonly Order[]): SQSEvent {
  const Records = event.Records.map((record, index) => ({
    ...record,
    body: JSON.stringify(bodies[index]),
  }));
  return { Records };
}

function failuresOf({ Records }: SQSEvent, failed: readonly number[]): object {
  return {
    batchItemFailures: failed.map((index) => ({ itemIdentifier: Records[index]?.messageId })),
  };
}
