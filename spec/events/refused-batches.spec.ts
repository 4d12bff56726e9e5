import { expect } from 'chai';
import { processBatch, type BatchEvent } from '../../lib/events/index.js';
import { sampleEvents } from '../examples/sample-events.js';
import { expectRejection } from '../support/expect-rejection.js';
import { handler, messages } from './batches.js';

describe('processBatch', () => {
  describe('what it refuses, before any record is handled', () => {
    const refused: readonly (readonly [string, unknown, string])[] = [
      ['SNS events', sampleEvents.sns(), 'got records of aws:sns'],
      ['S3 events', sampleEvents.s3(), 'got records of aws:s3'],
      ['EventBridge events', sampleEvents.eventBridge(), 'got an object with version, id'],
      ['requests', sampleEvents.httpRequest(), 'got an object with version, routeKey'],
      [
        'a mixture',
        { Records: [...sampleEvents.sqs().Records, ...sampleEvents.kinesis().Records] },
        'got records of aws:sqs and aws:kinesis',
      ],
      ['records of nobody', { Records: [{ messageId: 'm1' }] }, 'got records of no source'],
      ['records that are none', { Records: [null] }, 'got records of no source'],
      ['an empty object', {}, 'got an empty object'],
      ['an array', [], 'got an empty object'],
      ['nothing', undefined, 'got undefined'],
      ['null', null, 'got null'],
      [
        'messages that could not be reported',
        messages('m1', ''),
        'Expected every record to have its `messageId`, got none at index 1',
      ],
      [
        'changes that could not be reported',
        { Records: [{ eventSource: 'aws:dynamodb', eventID: 'e1', dynamodb: {} }] },
        'Expected every record to have its `SequenceNumber`, got none at index 0',
      ],
    ];
    for (const [what, event, message] of refused) {
      it(`are ${what}`, async () => {
        let handled = 0;

        const error = await expectRejection(
          processBatch(event as BatchEvent, () => {
            handled += 1;
          }),
          TypeError,
        );

        expect(error.message).to.include(message);
        expect(handled).to.equal(0);
      });
    }

    it('are wrong options', async () => {
      const event = messages('m1');
      const { handled, handle } = handler();

      for (const concurrency of [0, -1, 1.5, NaN, Infinity, 1001]) {
        const error = await expectRejection(
          processBatch(event, handle, { concurrency }),
          RangeError,
        );

        expect(error.message).to.equal(
          `Expected \`concurrency\` to be a whole number from 1 to 1000, got ${String(concurrency)} (processBatch)`,
        );
      }
      for (const wrong of [{ concurrency: '2' }, { onFailure: 'log' }]) {
        await expectRejection(processBatch(event, handle, wrong as object), TypeError);
      }
      await expectRejection(processBatch(event, undefined as never), TypeError);
      expect(handled).to.deep.equal([]);
    });
  });
});
