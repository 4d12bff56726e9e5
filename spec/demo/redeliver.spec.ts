import { expect } from 'chai';
import {
  redeliverDynamoDBStream,
  redeliverEventBridge,
  redeliverHttpRequest,
  redeliverKinesis,
  redeliverRestRequest,
  redeliverS3,
  redeliverSns,
  redeliverSqs,
  reproduceKinesis,
  republishSns,
} from '../examples/redeliver.js';
import { sampleEvents } from '../examples/sample-events.js';

describe('redeliver', () => {
  it('gives a REST request another request id, trace and time, and keeps what the client sent', () => {
    const event = sampleEvents.restRequest();

    const again = redeliverRestRequest(event);

    const { requestId, extendedRequestId, requestTime, requestTimeEpoch } = again.requestContext;
    expect(requestId).not.to.equal(event.requestContext.requestId);
    expect(extendedRequestId).not.to.equal(event.requestContext.extendedRequestId);
    expect(requestTime).to.equal('18/May/2026:09:30:31 +0000');
    expect(requestTimeEpoch).to.equal(event.requestContext.requestTimeEpoch + 31_000);
    expect(again.headers['X-Amzn-Trace-Id']).not.to.equal(event.headers['X-Amzn-Trace-Id']);
    expect(again.headers['Idempotency-Key']).to.equal(event.headers['Idempotency-Key']);
    expect(again.body).to.equal(event.body);
    expect(event).to.deep.equal(sampleEvents.restRequest());
  });

  it('gives an HTTP request another request id, trace and time, and keeps what the client sent', () => {
    const event = sampleEvents.httpRequest();

    const again = redeliverHttpRequest(event);

    expect(again.requestContext.requestId).not.to.equal(event.requestContext.requestId);
    expect(again.requestContext.time).to.equal('18/May/2026:09:31:31 +0000');
    expect(again.headers['x-amzn-trace-id']).not.to.equal(event.headers['x-amzn-trace-id']);
    expect(again.headers['idempotency-key']).to.equal(event.headers['idempotency-key']);
    expect(again.body).to.equal(event.body);
    expect(event).to.deep.equal(sampleEvents.httpRequest());
  });

  it('gives SQS messages another receipt handle and receive count, and nothing else', () => {
    const event = sampleEvents.sqs();

    const again = redeliverSqs(redeliverSqs(event));

    again.Records.forEach((record, index) => {
      const original = event.Records[index]!;
      expect(record.receiptHandle).not.to.equal(original.receiptHandle);
      expect(record.attributes.ApproximateReceiveCount).to.equal('3');
      expect({
        ...record,
        receiptHandle: original.receiptHandle,
        attributes: { ...record.attributes, ApproximateReceiveCount: '1' },
      }).to.deep.equal(original);
    });
    expect(event).to.deep.equal(sampleEvents.sqs());
  });

  it('keeps what SNS, EventBridge, Kinesis, DynamoDB streams and S3 repeat as it is', () => {
    const { sns, eventBridge, kinesis, dynamoDBStream, s3 } = sampleEvents;

    expect(redeliverSns(sns())).to.deep.equal(sns());
    expect(redeliverEventBridge(eventBridge())).to.deep.equal(eventBridge());
    expect(redeliverKinesis(kinesis())).to.deep.equal(kinesis());
    expect(redeliverDynamoDBStream(dynamoDBStream())).to.deep.equal(dynamoDBStream());
    expect(redeliverS3(s3())).to.deep.equal(s3());
  });

  it('gives a message published again another message id, and keeps the message', () => {
    const [first] = sampleEvents.sns().Records;
    const [again] = republishSns(sampleEvents.sns()).Records;

    expect(again!.Sns.MessageId).not.to.equal(first!.Sns.MessageId);
    expect(again!.Sns.Timestamp).to.equal('2026-05-18T09:34:31.000Z');
    expect(again!.Sns.Message).to.equal(first!.Sns.Message);
  });

  it('gives Kinesis records put again other sequence numbers, and keeps the data', () => {
    const [first] = sampleEvents.kinesis().Records;
    const [again] = reproduceKinesis(sampleEvents.kinesis()).Records;

    expect(BigInt(again!.kinesis.sequenceNumber) > BigInt(first!.kinesis.sequenceNumber)).to.be
      .true;
    expect(again!.eventID).to.equal(`shardId-000000000003:${again!.kinesis.sequenceNumber}`);
    expect(again!.kinesis.data).to.equal(first!.kinesis.data);
  });
});
