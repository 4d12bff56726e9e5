import { expect } from 'chai';
import fc from 'fast-check';
import { processBatch } from '../../lib/events/index.js';
import { warningsDuring } from '../decorator/support.js';
import { sampleEvents } from '../examples/sample-events.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { changes, failures, grouped, handler, kinesis, messages } from './batches.js';
import { moreEvents } from './support.js';

/** A context that has so much left at each look. */
function remaining(...times: readonly number[]): { getRemainingTimeInMillis(): number } {
  const left = [...times];
  return { getRemainingTimeInMillis: () => left.shift() ?? 0 };
}

/** Lets promise jobs run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('processBatch', () => {
  describe('of a standard queue', () => {
    it('handles every message and reports those that failed, in the order of the batch', async () => {
      const { handled, handle } = handler('m4', 'm2');

      const response = await processBatch(messages('m1', 'm2', 'm3', 'm4', 'm5'), handle);

      expect(handled).to.have.members(['m1', 'm2', 'm3', 'm4', 'm5']);
      expect(response).to.deep.equal(failures('m2', 'm4'));
    });

    it('reports nothing where all succeeded, and nothing of an empty batch', async () => {
      expect(await processBatch(messages('m1'), handler().handle)).to.deep.equal(failures());
      expect(await processBatch(messages(), handler().handle)).to.deep.equal(failures());
    });

    it('handles no more messages at a time than it may, and the next as soon as one is done', async () => {
      const running = new Map<string, Deferred<void>>();
      const batch = processBatch(
        messages('m1', 'm2', 'm3', 'm4'),
        ({ messageId }) => {
          const gate = deferred();
          running.set(messageId, gate);
          return gate.promise;
        },
        { concurrency: 2 },
      );

      await settled();
      expect([...running.keys()]).to.deep.equal(['m1', 'm2']);
      running.get('m2')?.resolve();
      await settled();
      expect([...running.keys()]).to.deep.equal(['m1', 'm2', 'm3']);
      running.get('m3')?.reject(new Error('no'));
      await settled();
      expect([...running.keys()]).to.deep.equal(['m1', 'm2', 'm3', 'm4']);
      running.get('m1')?.resolve();
      running.get('m4')?.resolve();

      expect(await batch).to.deep.equal(failures('m3'));
    });

    it('handles ten messages at a time by default', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => `m${String(index)}`);
      const gate = deferred();
      let begun = 0;

      const batch = processBatch(messages(...ids), () => {
        begun += 1;
        return gate.promise;
      });

      await settled();
      expect(begun).to.equal(10);
      gate.resolve();
      await batch;
      expect(begun).to.equal(12);
    });

    it('handles a message that is in the batch twice once, and reports it once', async () => {
      const { handled, handle } = handler('m1');

      const response = await processBatch(messages('m1', 'm2', 'm1', 'm2'), handle);

      expect(handled).to.deep.equal(['m1', 'm2']);
      expect(response).to.deep.equal(failures('m1'));
    });

    it('gives the messages of a group no order: fair queues have groups as well', async () => {
      const [record] = sampleEvents.sqs().Records;
      const attributes = { ...record!.attributes, MessageGroupId: 'customer-12' };
      const Records = ['m1', 'm2'].map((messageId) => ({ ...record!, messageId, attributes }));
      const { handled, handle } = handler('m1');

      const response = await processBatch({ Records }, handle);

      expect(handled).to.deep.equal(['m1', 'm2']);
      expect(response).to.deep.equal(failures('m1'));
    });
  });

  describe('of a FIFO queue', () => {
    it('ends a group at its first failure, reports the rest of it, and goes on with the others', async () => {
      const { handled, handle } = handler('a2');

      const response = await processBatch(grouped('a1', 'b1', 'a2', 'a3', 'b2', 'a4'), handle);

      expect(handled).to.have.members(['a1', 'a2', 'b1', 'b2']);
      expect(response).to.deep.equal(failures('a2', 'a3', 'a4'));
    });

    it('handles the messages of a group one after the other, and groups at the same time', async () => {
      const gate = deferred();
      const handled: string[] = [];

      const batch = processBatch(grouped('a1', 'a2', 'b1', 'b2'), async ({ messageId }) => {
        handled.push(messageId);
        if (messageId === 'a1') await gate.promise;
      });

      await settled();
      expect(handled).to.deep.equal(['a1', 'b1', 'b2']);
      gate.resolve();
      await batch;
      expect(handled).to.deep.equal(['a1', 'b1', 'b2', 'a2']);
    });

    it('takes the batch as AWS sends it', async () => {
      const event = moreEvents.fifo();
      const [first, , third, fourth] = event.Records;

      const response = await processBatch(event, ({ messageId }) => {
        if (messageId === first!.messageId) throw new Error('no');
      });

      expect(response).to.deep.equal(
        failures(first!.messageId, third!.messageId, fourth!.messageId),
      );
    });

    it('never handles a message whose predecessor in the group failed', async () => {
      const message = fc.record({ group: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(
          fc.array(message, { maxLength: 12 }),
          fc.integer({ min: 1, max: 4 }),
          async (plan, concurrency) => {
            const ids = plan.map(({ group }, index) => `${group}${String(index)}`);
            const failing = new Set(ids.filter((_, index) => plan[index]?.fails));
            const { handled, handle } = handler(...failing);

            const response = await processBatch(grouped(...ids), handle, { concurrency });

            const reported = response.batchItemFailures.map((each) => each.itemIdentifier);
            const expected = ids.filter((id, index) =>
              ids
                .slice(0, index + 1)
                .some((each) => each.startsWith(id.slice(0, 1)) && failing.has(each)),
            );
            expect(reported).to.deep.equal(expected);
            for (const group of ['a', 'b', 'c']) {
              const ofGroup = ids.filter((id) => id.startsWith(group));
              const end = ofGroup.findIndex((id) => failing.has(id));
              expect(handled.filter((id) => id.startsWith(group))).to.deep.equal(
                end === -1 ? ofGroup : ofGroup.slice(0, end + 1),
              );
            }
          },
        ),
      );
    });
  });

  describe('of a stream', () => {
    it('handles Kinesis records in order and reports the first failure, where Lambda goes on', async () => {
      const handled: string[] = [];

      const response = await processBatch(kinesis('11', '12', '13'), async (record) => {
        await settled();
        handled.push(record.kinesis.sequenceNumber);
        if (record.kinesis.sequenceNumber === '12') throw new Error('no');
      });

      expect(handled).to.deep.equal(['11', '12']);
      expect(response).to.deep.equal(failures('12'));
    });

    it('does the same with the changes of a DynamoDB table', async () => {
      const handled: unknown[] = [];

      const response = await processBatch(changes('21', '22', '22', '23'), ({ dynamodb }) => {
        handled.push(dynamodb?.SequenceNumber);
        if (dynamodb?.SequenceNumber === '23') throw new Error('no');
      });

      expect(handled).to.deep.equal(['21', '22', '23']);
      expect(response).to.deep.equal(failures('23'));
    });
  });

  describe('time', () => {
    it('begins no record with less than a second left, and reports what it did not begin', async () => {
      const { handled, handle } = handler();

      const response = await processBatch(messages('m1', 'm2', 'm3'), handle, {
        concurrency: 1,
        context: remaining(2000, 1000, 999),
      });

      expect(handled).to.deep.equal(['m1', 'm2']);
      expect(response).to.deep.equal(failures('m3'));
    });

    it('reports the record of a stream at which time was over', async () => {
      const response = await processBatch(kinesis('11', '12', '13'), () => undefined, {
        context: remaining(5000, 0),
      });

      expect(response).to.deep.equal(failures('12'));
    });

    it('handles everything where the context cannot tell', async () => {
      for (const getRemainingTimeInMillis of [
        () => NaN,
        () => undefined as unknown as number,
        (): number => {
          throw new Error('no');
        },
      ]) {
        const { handled, handle } = handler();

        await processBatch(messages('m1'), handle, { context: { getRemainingTimeInMillis } });

        expect(handled).to.deep.equal(['m1']);
      }
    });
  });

  describe('onFailure', () => {
    it('gets the error and the record of every failure, before the batch is over', async () => {
      const seen: unknown[] = [];
      const event = grouped('a1', 'a2', 'b1');

      await processBatch(event, handler('a1', 'b1').handle, {
        onFailure: async (error, record) => {
          await settled();
          seen.push([(error as Error).message, record]);
        },
      });

      expect(seen).to.deep.equal([
        ['refused a1', event.Records[0]],
        ['refused b1', event.Records[2]],
      ]);
    });

    it('does not end the batch where it throws or rejects; a warning says so, without the message', async () => {
      for (const onFailure of [
        () => {
          throw new RangeError('card 4242');
        },
        () => Promise.reject(new RangeError('card 4242')),
      ]) {
        const { handled, handle } = handler('m1');
        let response: unknown;

        const warnings = await warningsDuring(async () => {
          response = await processBatch(messages('m1', 'm2'), handle, {
            concurrency: 1,
            onFailure,
          });
        });

        expect(handled).to.deep.equal(['m1', 'm2']);
        expect(response).to.deep.equal(failures('m1'));
        expect(warnings).to.deep.equal([
          {
            code: 'MAYFLY_LISTENER_FAILED',
            message: '`onFailure` of processBatch failed: RangeError',
          },
        ]);
      }
    });
  });
});
