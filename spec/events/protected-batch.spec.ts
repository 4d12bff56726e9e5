import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import { expect } from 'chai';
import { processBatch, sqsBody, sqsMessageId, type BatchResponse } from '../../lib/events/index.js';
import {
  Idempotent,
  isIdempotencyInProgressError,
  isIdempotencyKeyError,
  MemoryStore,
  withIdempotency,
} from '../../lib/index.js';
import { manualClock } from '../../lib/testing/index.js';
import { redeliverSqs } from '../examples/redeliver.js';
import { sampleEvents } from '../examples/sample-events.js';
import { moreEvents } from './support.js';

const clock = manualClock();

/** A context of which so much is left, by the specs' clock. */
function contextFor(timeoutMs: number): Context {
  const endMs = clock.now() + timeoutMs;
  return { getRemainingTimeInMillis: () => endMs - clock.now() } as Context;
}

class Shipping {
  readonly shipped: string[] = [];
  readonly errors: unknown[] = [];
  before: (record: SQSRecord) => Promise<void> = async () => {};

  @Idempotent({ key: sqsMessageId, namespace: 'shipping' })
  async ship(record: SQSRecord, _context: Context): Promise<void> {
    await this.before(record);
    this.shipped.push(record.messageId);
  }

  async handle(event: SQSEvent, context = contextFor(30_000)): Promise<BatchResponse> {
    return processBatch(event, (record) => this.ship(record, context), {
      context,
      onFailure: (error) => this.errors.push(error),
    });
  }
}

const ids = sampleEvents.sqs().Records.map(({ messageId }) => messageId);

describe('processBatch with a protected method', () => {
  /** Each spec with records of its own. */
  const inSpec = (run: () => Promise<void>) => () =>
    withIdempotency({ store: new MemoryStore({ clock }), clock }, run);

  it(
    'runs the records that failed again, and replays the others',
    inSpec(async () => {
      const shipping = new Shipping();
      let failed = false;
      shipping.before = ({ messageId }) => {
        if (messageId !== ids[1] || failed) return Promise.resolve();
        failed = true;
        return Promise.reject(new Error('no'));
      };

      const first = await shipping.handle(sampleEvents.sqs());
      const second = await shipping.handle(redeliverSqs(sampleEvents.sqs()));

      expect(first).to.deep.equal({ batchItemFailures: [{ itemIdentifier: ids[1] }] });
      expect(second).to.deep.equal({ batchItemFailures: [] });
      expect(shipping.shipped).to.deep.equal(ids);
    }),
  );

  // F41
  it('reports a record whose first delivery was killed, says when it is free, and then runs it', async () => {
    const store = new MemoryStore({ clock });
    await withIdempotency({ store, clock }, async () => {
      const { Records } = sampleEvents.sqsOneRecord();
      const [record] = Records;
      const nowMs = clock.now();
      await store.claim({
        id: `shipping#${record!.messageId}`,
        token: 'a process that is no more',
        nowMs,
        ttlMs: 3_600_000,
        inProgressUntilMs: nowMs + 30_000,
        onExpiredClaim: 'run',
      });
      const shipping = new Shipping();

      await clock.advance(10_000);
      const early = await shipping.handle(redeliverSqs({ Records }));
      await clock.advance(20_001);
      const late = await shipping.handle(redeliverSqs(redeliverSqs({ Records })));

      expect(early).to.deep.equal({ batchItemFailures: [{ itemIdentifier: record!.messageId }] });
      const [error] = shipping.errors;
      expect(isIdempotencyInProgressError(error) && error.retryAfterMs).to.equal(20_000);
      expect(late).to.deep.equal({ batchItemFailures: [] });
      expect(shipping.shipped).to.deep.equal([record!.messageId]);
    });
  });

  it(
    'ends a group of a FIFO queue at a record that another invocation is working on',
    inSpec(async () => {
      const event = moreEvents.fifo();
      const [a1, b1, a2, a3] = event.Records.map(({ messageId }) => messageId);
      let other: BatchResponse | undefined;
      const working = new Shipping();
      const shipping = new Shipping();
      working.before = async () => {
        other ??= await shipping.handle(event);
      };

      const response = await working.handle({ Records: event.Records.slice(0, 1) });

      expect(response).to.deep.equal({ batchItemFailures: [] });
      expect(working.shipped).to.deep.equal([a1]);
      expect(other).to.deep.equal({
        batchItemFailures: [a1, a2, a3].map((itemIdentifier) => ({ itemIdentifier })),
      });
      expect(shipping.shipped).to.deep.equal([b1]);
    }),
  );

  // F30: a key that cannot be used is a failure in a batch, too, and no reason to run unprotected.
  it(
    'reports a record without a key and does not run it',
    inSpec(async () => {
      const errors: unknown[] = [];
      class Orders {
        placed = 0;

        @Idempotent({ key: sqsBody('orderId'), namespace: 'orders' })
        async place(_record: SQSRecord): Promise<void> {
          this.placed += 1;
          return Promise.resolve();
        }
      }
      const orders = new Orders();
      const [record] = sampleEvents.sqs().Records;
      const Records = ['{}', 'card 4242', record!.body].map((body, index) => ({
        ...record!,
        messageId: `m${String(index)}`,
        body,
      }));

      const response = await processBatch({ Records }, (each) => orders.place(each), {
        onFailure: (error) => errors.push(error),
      });

      expect(response.batchItemFailures.map((each) => each.itemIdentifier)).to.deep.equal([
        'm0',
        'm1',
      ]);
      expect(errors.every(isIdempotencyKeyError)).to.equal(true);
      expect(orders.placed).to.equal(1);
    }),
  );

  // F30
  it(
    'gives a record the same id as a direct call does',
    inSpec(async () => {
      const shipping = new Shipping();
      const [record] = sampleEvents.sqsOneRecord().Records;

      await shipping.ship(record!, contextFor(30_000));
      await shipping.handle(redeliverSqs(sampleEvents.sqsOneRecord()));

      expect(shipping.shipped).to.deep.equal([record!.messageId]);
    }),
  );
});
