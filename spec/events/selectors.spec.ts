import { expect } from 'chai';
import {
  dynamodbStreamEventId,
  eventBridgeId,
  kinesisSequence,
  s3Object,
  snsMessageId,
  sqsBody,
  sqsMessageId,
} from '../../lib/events/index.js';
import { IdempotencyKeyError } from '../../lib/index.js';
import { keyOfArguments } from '../../lib/keys/default-key.js';
import {
  redeliverDynamoDBStream,
  redeliverEventBridge,
  redeliverKinesis,
  redeliverS3,
  redeliverSns,
  redeliverSqs,
  reproduceKinesis,
  republishSns,
} from '../examples/redeliver.js';
import { sampleEvents } from '../examples/sample-events.js';
import { errorOf, idOf } from './support.js';

function first<R>({ Records: [record] }: { readonly Records: readonly R[] }): R {
  if (record === undefined) throw new Error('The event has no record');
  return record;
}

/** What a selector makes of a delivery, of the next one, and of another event. */
interface Selected {
  readonly name: string;
  readonly once: unknown;
  readonly again: unknown;
  readonly other: unknown;
}

const [sqsFirst, sqsSecond] = sampleEvents.sqs().Records;
const [kinesisFirst, kinesisSecond] = sampleEvents.kinesis().Records;
const change = first(sampleEvents.dynamoDBStream());
const upload = first(sampleEvents.s3());

function withObject(changed: Partial<(typeof upload)['s3']['object']>): typeof upload {
  return { ...upload, s3: { ...upload.s3, object: { ...upload.s3.object, ...changed } } };
}

const selections: readonly Selected[] = [
  {
    name: 'sqsMessageId',
    once: sqsMessageId(sqsFirst!),
    again: sqsMessageId(first(redeliverSqs(redeliverSqs(sampleEvents.sqs())))),
    other: sqsMessageId(sqsSecond!),
  },
  {
    name: 'sqsBody of a path',
    once: sqsBody('orderId')(sqsFirst!),
    again: sqsBody('orderId')(first(redeliverSqs(sampleEvents.sqs()))),
    other: sqsBody('orderId')(sqsSecond!),
  },
  {
    name: 'sqsBody',
    once: sqsBody()(sqsFirst!),
    again: sqsBody()(first(redeliverSqs(sampleEvents.sqs()))),
    other: sqsBody()(sqsSecond!),
  },
  {
    name: 'snsMessageId',
    once: snsMessageId(first(sampleEvents.sns())),
    again: snsMessageId(first(redeliverSns(sampleEvents.sns()))),
    other: snsMessageId(first(republishSns(sampleEvents.sns()))),
  },
  {
    name: 'eventBridgeId',
    once: eventBridgeId(sampleEvents.eventBridge()),
    again: eventBridgeId(redeliverEventBridge(sampleEvents.eventBridge())),
    other: eventBridgeId(sampleEvents.eventBridgeSecond()),
  },
  {
    name: 'kinesisSequence',
    once: kinesisSequence(kinesisFirst!),
    again: kinesisSequence(first(redeliverKinesis(sampleEvents.kinesis()))),
    other: kinesisSequence(kinesisSecond!),
  },
  {
    name: 'dynamodbStreamEventId',
    once: dynamodbStreamEventId(change),
    again: dynamodbStreamEventId(first(redeliverDynamoDBStream(sampleEvents.dynamoDBStream()))),
    other: dynamodbStreamEventId({ ...change, eventID: 'c8f3ba5e21d60497979f2e8c7153ab06' }),
  },
  {
    name: 's3Object',
    once: s3Object(upload),
    again: s3Object(first(redeliverS3(sampleEvents.s3()))),
    other: s3Object(withObject({ sequencer: '006A0ADE3C7B1F20D5' })),
  },
];

describe('selectors', () => {
  for (const { name, once, again, other } of selections) {
    // F24
    it(`${name} gives a redelivery the same id, and another event another`, () => {
      expect(idOf(again)).to.equal(idOf(once));
      expect(idOf(other)).not.to.equal(idOf(once));
    });
  }

  // F24: what the selectors are there for.
  it('leave out what makes the default key another at each delivery', () => {
    const [received, again] = [sqsFirst!, first(redeliverSqs(sampleEvents.sqs()))];

    expect(keyOfArguments([again])).not.to.equal(keyOfArguments([received]));
    expect(sqsMessageId(again)).to.equal(sqsMessageId(received));
  });

  it('give the key as it is where it is one word, so that tables can be read', () => {
    expect(sqsMessageId(sqsFirst!)).to.equal('7d0f3c11-52b4-4f0e-9c5b-6a1b8e2f4d01');
    expect(snsMessageId(sampleEvents.sns())).to.equal('2f8b6d04-9c1e-5a73-b4d0-e6a8c0f21b35');
    expect(eventBridgeId(sampleEvents.eventBridge())).to.equal(
      '8c2e5f70-b1d4-3a96-7e08-4f5a6b7c8d91',
    );
    expect(dynamodbStreamEventId(change)).to.equal('b7e2a94d10c5f3868e1d7b60429a5cf3');
    expect(sqsBody('orderId')(sqsFirst!)).to.equal('order-2001');
  });

  describe('sqsBody', () => {
    const key = (path: string | undefined, body: unknown): unknown =>
      sqsBody(path)({ body: typeof body === 'string' ? body : JSON.stringify(body) });

    it('follows a path through objects and arrays', () => {
      expect(key('order.lines.1.sku', { order: { lines: [{}, { sku: 'ink' }] } })).to.equal('ink');
    });

    it('finds nothing where there is nothing, and nothing that was inherited', () => {
      for (const path of ['order.id', 'toString', 'lines.length.x', 'text.0']) {
        const selected = key(path, { order: null, lines: [], text: 'abc' });

        expect(
          errorOf(() => idOf(selected)),
          path,
        ).to.be.an.instanceof(IdempotencyKeyError);
        expect(
          errorOf(() => idOf(selected)),
          path,
        ).to.include({ missing: true });
      }
    });

    it('refuses a body that is no JSON, without quoting it', () => {
      const error = errorOf(() => key('orderId', 'card 4242'));

      expect(error).to.be.an.instanceof(IdempotencyKeyError);
      expect(error).to.include({ message: 'The body is not JSON', missing: false });
      expect(error.cause).to.equal(undefined);
    });

    it('takes a whole body by its data, nulls included, and other text as it is', () => {
      const [a, b] = ['{"id":1,"coupon":null}', '{ "coupon": null, "id": 1 }'];

      expect(idOf(key(undefined, a))).to.equal(idOf(key(undefined, b)));
      expect(idOf(key(undefined, 'plain'))).not.to.equal(idOf(key(undefined, 'plain ')));
    });

    it('wants names between the dots', () => {
      for (const path of ['', '.', 'a..b', 'a.']) {
        expect(() => sqsBody(path), path).to.throw(TypeError, 'names with dots between them');
      }
    });
  });

  describe('snsMessageId and s3Object', () => {
    it('take the event as well as its only record', () => {
      expect(snsMessageId(sampleEvents.sns())).to.equal(snsMessageId(first(sampleEvents.sns())));
      expect(s3Object(sampleEvents.s3())).to.deep.equal(s3Object(upload));
    });

    it('refuse an event with another number of records, which has no one key', () => {
      const { Records } = sampleEvents.sns();

      for (const event of [{ Records: [] }, { Records: [...Records, ...Records] }]) {
        const error = errorOf(() => snsMessageId(event));

        expect(error).to.be.an.instanceof(IdempotencyKeyError);
        expect(error).to.include({ missing: false });
        expect(error.message).to.include(`${String(event.Records.length)} records`);
      }
    });
  });

  describe('kinesisSequence', () => {
    it('gives data that a producer put again another id', () => {
      const again = first(reproduceKinesis(sampleEvents.kinesis()));

      expect(idOf(kinesisSequence(again))).not.to.equal(idOf(kinesisSequence(kinesisFirst!)));
    });

    it('keeps streams apart whose records have equal numbers', () => {
      const eventSourceARN = 'arn:aws:kinesis:eu-central-1:111122223333:stream/returns';

      expect(idOf(kinesisSequence({ ...kinesisFirst!, eventSourceARN }))).not.to.equal(
        idOf(kinesisSequence(kinesisFirst!)),
      );
    });
  });

  describe('s3Object', () => {
    it('reads the object key as S3 encodes it', () => {
      const spelt = ['a+b%2Bc.json', 'a%20b%2bc.json'].map((key) => s3Object(withObject({ key })));

      expect(spelt[0]).to.deep.equal(spelt[1]);
      expect(idOf(s3Object(withObject({ key: 'a+b+c.json' })))).not.to.equal(idOf(spelt[0]));
    });

    it('takes object keys in which a part is called null', () => {
      expect(idOf(s3Object(withObject({ key: 'country%3Dnull/part-0.parquet' })))).to.match(
        /^orders#sha256:/,
      );
    });

    it('keeps buckets, kinds of events and versions apart', () => {
      const ids = [
        upload,
        { ...upload, eventName: 'ObjectRemoved:Delete' },
        { ...upload, s3: { ...upload.s3, bucket: { ...upload.s3.bucket, name: 'other-files' } } },
        withObject({ versionId: 'v1' }),
        withObject({ versionId: 'v2' }),
      ].map((record) => idOf(s3Object(record)));

      expect(new Set(ids)).to.have.property('size', ids.length);
    });

    it('goes by the request where the kind of event has no sequencer', () => {
      const { sequencer: _none, ...object } = upload.s3.object;
      const tagged = { ...upload, eventName: 'ObjectTagging:Put', s3: { ...upload.s3, object } };
      const later = { ...tagged, responseElements: { 'x-amz-request-id': '4RD3R5EXAMPLE002' } };

      expect(idOf(s3Object(structuredClone(tagged)))).to.equal(idOf(s3Object(tagged)));
      expect(idOf(s3Object(later))).not.to.equal(idOf(s3Object(tagged)));
      expect(() => idOf(s3Object({ ...tagged, responseElements: null }))).to.throw(
        IdempotencyKeyError,
      );
    });

    it('takes a version that is null for none', () => {
      expect(
        s3Object({
          ...upload,
          s3: { ...upload.s3, object: { ...upload.s3.object, versionId: null } },
        }),
      ).to.deep.equal(s3Object(upload));
    });
  });
});
