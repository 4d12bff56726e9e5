import type {
  ALBEvent,
  ALBResult,
  APIGatewayProxyEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyEventV2WithJWTAuthorizer,
  APIGatewayProxyResult,
  APIGatewayProxyStructuredResultV2,
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  EventBridgeEvent,
  KinesisStreamBatchResponse,
  KinesisStreamEvent,
  KinesisStreamRecord,
  LambdaFunctionURLEvent,
  S3Event,
  S3EventRecord,
  SNSEvent,
  SNSEventRecord,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import { expect } from 'chai';
import { Idempotent, makeIdempotent, runIdempotent } from '../../lib/index.js';
import {
  dynamodbStreamEventId,
  eventBridgeId,
  header,
  jsonBody,
  kinesisSequence,
  markReplayed,
  problemResponse,
  processBatch,
  s3Object,
  snsMessageId,
  sqsBody,
  sqsMessageId,
} from '../../lib/events/index.js';

/*
 * The compiler is what runs these, in both dialects: see decorator/idempotent.types.spec.ts. The types
 * that @types/aws-lambda has for events and replies fit those of the entry.
 */

type Equal<X, Y> =
  (<T>() => T extends X ? 1 : 2) extends <T>() => T extends Y ? 1 : 2 ? true : false;

/** Compiles only when the value's type is exactly `T`, which rules out `any`. */
function exactly<T>() {
  return <U>(value: U & (Equal<T, U> extends true ? unknown : never)): U => value;
}

interface Order {
  readonly orderId: string;
}

const done = (): Promise<void> => Promise.resolve();
const reply = (): Promise<APIGatewayProxyResult> => Promise.resolve({ statusCode: 201, body: '' });

describe('the types of the events entry', () => {
  it('let a selector be the key of a method that takes the record', () => {
    class Handlers {
      @Idempotent({ key: sqsMessageId })
      async message(_record: SQSRecord, _context: Context): Promise<void> {
        return done();
      }

      @Idempotent({ key: sqsBody('orderId') })
      async body(_record: SQSRecord): Promise<void> {
        return done();
      }

      @Idempotent({ key: snsMessageId })
      async notification(_record: SNSEventRecord): Promise<void> {
        return done();
      }

      @Idempotent({ key: snsMessageId })
      async notificationEvent(_event: SNSEvent, _context: Context): Promise<void> {
        return done();
      }

      @Idempotent({ key: eventBridgeId })
      async event(_event: EventBridgeEvent<'Order Submitted', Order>): Promise<void> {
        return done();
      }

      @Idempotent({ key: kinesisSequence })
      async put(_record: KinesisStreamRecord): Promise<void> {
        return done();
      }

      @Idempotent({ key: dynamodbStreamEventId })
      async changed(_record: DynamoDBRecord): Promise<void> {
        return done();
      }

      @Idempotent({ key: s3Object })
      async uploaded(_record: S3EventRecord): Promise<void> {
        return done();
      }

      @Idempotent({ key: s3Object })
      async uploadedEvent(_event: S3Event): Promise<void> {
        return done();
      }

      // @ts-expect-error -- a batch is no message
      @Idempotent({ key: sqsMessageId })
      async batch(_event: SQSEvent): Promise<void> {
        return done();
      }

      // @ts-expect-error -- an SQS record is no notification
      @Idempotent({ key: snsMessageId })
      async mistaken(_record: SQSRecord): Promise<void> {
        return done();
      }
    }

    expect(Handlers).to.be.a('function');
  });

  it('give `scope` and `jsonBody` the event of the method', () => {
    type Jwt = APIGatewayProxyEventV2WithJWTAuthorizer;
    class Api {
      @Idempotent({
        key: header('Idempotency-Key', {
          scope: (e) => exactly<APIGatewayProxyEvent>()(e).requestContext.accountId,
        }),
        onReplay: markReplayed,
      })
      async rest(_event: APIGatewayProxyEvent, _context: Context): Promise<APIGatewayProxyResult> {
        return reply();
      }

      @Idempotent({
        key: header('Idempotency-Key', {
          scope: (e) => exactly<Jwt>()(e).requestContext.authorizer.jwt.claims['sub'],
        }),
      })
      async http(_event: Jwt): Promise<void> {
        return done();
      }

      @Idempotent({ key: header('Idempotency-Key', { scope: 'public' }), onReplay: markReplayed })
      async alb(_event: ALBEvent): Promise<ALBResult> {
        return Promise.resolve({ statusCode: 201 });
      }

      @Idempotent({ key: header('Idempotency-Key', { scope: (e) => e.requestContext.accountId }) })
      async url(_event: LambdaFunctionURLEvent): Promise<APIGatewayProxyStructuredResultV2> {
        return Promise.resolve({ statusCode: 201 });
      }

      @Idempotent({
        key: jsonBody((order: Order, e) => [
          exactly<APIGatewayProxyEventV2>()(e).requestContext.accountId,
          order.orderId,
        ]),
      })
      async body(_event: APIGatewayProxyEventV2): Promise<void> {
        return done();
      }
    }

    expect(Api).to.be.a('function');
  });

  it('do not let a scope be forgotten', () => {
    // Not called: without a compiler the same mistakes are errors when the class is defined.
    const mistakes = (): unknown => {
      class Api {
        // @ts-expect-error -- who is calling has to be said
        @Idempotent({ key: header('Idempotency-Key') })
        async unscoped(_event: APIGatewayProxyEvent): Promise<void> {
          return done();
        }

        @Idempotent({
          // @ts-expect-error -- as a function of the event, or 'public'
          key: header('Idempotency-Key', { scope: 'private' }),
        })
        async oddlyScoped(_event: APIGatewayProxyEvent): Promise<void> {
          return done();
        }

        @Idempotent({
          // @ts-expect-error -- the event has no such member
          key: header('Idempotency-Key', { scope: (e) => e.requestContext.tenant as unknown }),
        })
        async misspelt(_event: APIGatewayProxyEvent): Promise<void> {
          return done();
        }
      }
      // @ts-expect-error -- the body's type has to be said
      jsonBody((order) => order.orderId as unknown);
      return Api;
    };

    expect(mistakes).to.be.a('function');
  });

  it('fit the other doors', () => {
    const pay = makeIdempotent(
      async function pay(_event: APIGatewayProxyEvent): Promise<void> {
        return done();
      },
      { key: header('Idempotency-Key', { scope: (e) => e.requestContext.accountId }) },
    );
    const run = (event: LambdaFunctionURLEvent): unknown =>
      runIdempotent(event, done, {
        namespace: 'orders',
        key: header('Idempotency-Key', { scope: (e) => e.requestContext.accountId }),
      });

    expect([pay, run]).to.have.length(2);
  });

  it('give the function of a batch the record of its event', () => {
    const sqs = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> =>
      processBatch(event, (record) => exactly<SQSRecord>()(record).body, {
        context,
        onFailure: (error, record) => [exactly<unknown>()(error), exactly<SQSRecord>()(record)],
      });
    const kinesis = (event: KinesisStreamEvent): Promise<KinesisStreamBatchResponse> =>
      processBatch(event, (record) => exactly<KinesisStreamRecord>()(record).kinesis.data);
    const stream = (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
      processBatch(event, (record) => exactly<DynamoDBRecord>()(record).dynamodb);
    const sns = (event: SNSEvent): unknown =>
      // @ts-expect-error -- SNS takes back no single records
      processBatch(event, done);

    expect([sqs, kinesis, stream, sns]).to.have.length(4);
  });

  it('make a problem a reply of API Gateway and of load balancers', () => {
    const rest = (error: unknown): APIGatewayProxyResult | undefined => problemResponse(error);
    const http = (error: unknown): APIGatewayProxyStructuredResultV2 | undefined =>
      problemResponse(error);
    const alb = (error: unknown): ALBResult | undefined => problemResponse(error);

    expect([rest, http, alb]).to.have.length(3);
  });
});
