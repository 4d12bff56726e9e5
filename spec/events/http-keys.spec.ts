import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect } from 'chai';
import { header, jsonBody } from '../../lib/events/index.js';
import { IdempotencyKeyError, Idempotent, MemoryStore } from '../../lib/index.js';
import type { HttpEvent } from '../../lib/events/event-shapes.js';
import type { Order } from '../examples/order.js';
import { redeliverHttpRequest, redeliverRestRequest } from '../examples/redeliver.js';
import { sampleEvents } from '../examples/sample-events.js';
import { expectRejection } from '../support/expect-rejection.js';
import { errorOf, idOf, moreEvents } from './support.js';

const NAME = 'Idempotency-Key';
const traced = { 'x-amzn-trace-id': 'Root=1-6a0adfff-0123456789abcdef01234567' };

/** A request in one of AWS's shapes: who is calling, and what a retry of the client changes. */
interface Shape<E extends HttpEvent> {
  readonly name: string;
  readonly event: E;
  readonly again: E;
  readonly caller: (event: E) => unknown;
  readonly withHeader: (value: string) => E;
}

const rest = sampleEvents.restRequest();
const http = sampleEvents.httpRequest();
const alb = moreEvents.alb();
const albMultiValue = moreEvents.albMultiValue();
const url = moreEvents.functionUrl();

function shape<E extends HttpEvent>(given: Shape<E>): Shape<HttpEvent> {
  return given as unknown as Shape<HttpEvent>;
}

const shapes = [
  shape({
    name: 'a REST API',
    event: rest,
    again: redeliverRestRequest(rest),
    caller: (e) => e.requestContext.authorizer?.['principalId'] as unknown,
    withHeader: (value) => ({
      ...rest,
      headers: { ...rest.headers, [NAME]: value },
      multiValueHeaders: { ...rest.multiValueHeaders, [NAME]: [value] },
    }),
  }),
  shape({
    name: 'an HTTP API',
    event: http,
    again: redeliverHttpRequest(http),
    caller: (e) => e.requestContext.authorizer.jwt.claims['sub'],
    withHeader: (value) => ({ ...http, headers: { ...http.headers, 'idempotency-key': value } }),
  }),
  shape({
    name: 'a load balancer',
    event: alb,
    again: { ...moreEvents.alb(), headers: { ...alb.headers, ...traced } },
    caller: (e) => e.headers?.['x-amzn-oidc-identity'],
    withHeader: (value) => ({ ...alb, headers: { ...alb.headers, 'idempotency-key': value } }),
  }),
  shape({
    name: 'a load balancer with multi-value headers',
    event: albMultiValue,
    again: moreEvents.albMultiValue(),
    caller: (e) => e.multiValueHeaders?.['x-amzn-oidc-identity'],
    withHeader: (value) => ({
      ...albMultiValue,
      multiValueHeaders: { ...albMultiValue.multiValueHeaders, 'idempotency-key': [value] },
    }),
  }),
  shape({
    name: 'a function URL',
    event: url,
    again: { ...moreEvents.functionUrl(), headers: { ...url.headers, ...traced } },
    caller: (e) => e.requestContext.authorizer.iam.userId,
    withHeader: (value) => ({ ...url, headers: { ...url.headers, 'idempotency-key': value } }),
  }),
];

/** What is wrong with the key of a request. */
function refusal(select: (event: HttpEvent) => unknown, event: HttpEvent): IdempotencyKeyError {
  const error = errorOf(() => idOf(select(event)));
  if (!(error instanceof IdempotencyKeyError)) throw error;
  return error;
}

describe('header', () => {
  for (const { name, event, again, caller, withHeader } of shapes) {
    describe(`of ${name}`, () => {
      const select = header(NAME, { scope: caller });

      // F24
      it('gives a retry the same id, and another key another', () => {
        expect(idOf(select(again))).to.equal(idOf(select(event)));
        expect(idOf(select(withHeader('another')))).not.to.equal(idOf(select(event)));
      });

      // F55
      it('keeps callers apart that send the same key', () => {
        const otherCaller = header(NAME, { scope: () => 'somebody else' });

        expect(idOf(otherCaller(event))).not.to.equal(idOf(select(event)));
      });

      it('has no key where the client sent none, or a trace of none', () => {
        for (const value of ['', '  ', '""', 'undefined', '"null"', 'NaN', '[object Object]']) {
          expect(refusal(select, withHeader(value)), value).to.include({ missing: true });
          expect(refusal(header(NAME, { scope: 'public' }), withHeader(value)), value).to.include({
            missing: true,
          });
        }
      });
    });
  }

  it('takes any text in no time', () => {
    const hostile = ['"', ' '.repeat(100_000), 'x'].join('');

    expect(header(NAME, { scope: 'public' })({ headers: { [NAME]: hostile } })).to.equal(hostile);
  });

  it('finds the header however its name is written', () => {
    const select = header('IDEMPOTENCY-key', { scope: 'public' });

    expect(select({ headers: { 'idempotency-Key': 'k1' } })).to.equal('k1');
    expect(select({ headers: null, multiValueHeaders: { 'Idempotency-KEY': ['k1'] } })).to.equal(
      'k1',
    );
  });

  it('has no key where there is no header at all', () => {
    const select = header(NAME, { scope: () => 'customer-1' });

    for (const event of [{}, { headers: null }, { headers: {}, multiValueHeaders: null }]) {
      expect(refusal(select, event)).to.include({ missing: true });
    }
  });

  // F55
  it('has no key where nobody is in the scope', () => {
    for (const nobody of [undefined, null, '', NaN]) {
      const select = header(NAME, { scope: () => nobody });

      expect(refusal(select, rest), String(nobody)).to.include({ missing: true });
    }
  });

  it('refuses a request with two different keys, whatever onMissingKey says', () => {
    const select = header(NAME, { scope: 'public' });

    for (const event of [
      { multiValueHeaders: { [NAME]: ['a', 'b'] } },
      { headers: { [NAME]: 'b' }, multiValueHeaders: { [NAME]: ['a', 'b'] } },
      { headers: { [NAME]: 'a', 'idempotency-key': 'b' } },
    ]) {
      expect(refusal(select, event)).to.include({
        missing: false,
        message: 'The request has several headers idempotency-key',
      });
    }
    expect(select({ multiValueHeaders: { [NAME]: ['a', 'a'] } })).to.equal('a');
  });

  it('gives the key that one would write by hand', () => {
    expect(header(NAME, { scope: () => 'customer-31' })(rest)).to.deep.equal([
      'customer-31',
      '5f0c2d1e-9b7a-4c55-8a0e-2f6d3b1c7e90',
    ]);
  });

  // F55
  it('runs for each of two tenants that chose the same key, and shows neither the other’s result', async () => {
    const store = new MemoryStore();
    class Api {
      runs = 0;

      @Idempotent({
        key: header(NAME, { scope: (e) => e.requestContext.authorizer?.['tenant'] as unknown }),
        namespace: 'orders',
        store,
      })
      async order(_event: APIGatewayProxyEvent, customer: string): Promise<string> {
        this.runs += 1;
        return Promise.resolve(`of ${customer}`);
      }
    }
    const of = (authorizer: object): APIGatewayProxyEvent => ({
      ...rest,
      requestContext: { ...rest.requestContext, authorizer },
    });
    const api = new Api();

    expect(await api.order(of({ tenant: 'a' }), 'a')).to.equal('of a');
    expect(await api.order(of({ tenant: 'b' }), 'b')).to.equal('of b');
    expect(await api.order(of({ tenant: 'a' }), 'x')).to.equal('of a');
    const error = await expectRejection(api.order(of({}), 'c'), IdempotencyKeyError);

    expect(error.message).to.include('Api.order');
    expect(api.runs).to.equal(2);
  });

  it('wants a name and a scope from those without a compiler, too', () => {
    const loose = header as unknown as (name: unknown, options?: unknown) => unknown;

    for (const options of [undefined, null, {}, { scope: undefined }, { scope: 'customer' }]) {
      expect(() => loose(NAME, options)).to.throw(TypeError, '`scope`');
    }
    for (const name of [undefined, '', ' ']) {
      expect(() => loose(name, { scope: 'public' })).to.throw(TypeError, 'name');
    }
  });
});

describe('jsonBody', () => {
  const select = jsonBody((order: Order) => order.orderId);

  it('reads the body, in base64 or not', () => {
    expect(select(rest)).to.equal('order-1001');
    expect(select(redeliverHttpRequest(http))).to.equal('order-1002');
    expect(select(alb)).to.equal('order-1003');
  });

  it('hands on the event, for who is calling', () => {
    const scoped = jsonBody((order: Order, e: typeof url) => [
      e.requestContext.authorizer.iam.userId,
      order.orderId,
    ]);

    expect(scoped(url)).to.deep.equal(['AIDAEXAMPLEPARTNERAPP', 'order-1005']);
  });

  it('has no key where there is no body, or nothing in it', () => {
    for (const body of [null, undefined, '', '{}']) {
      const error = errorOf(() => idOf(select({ body })));

      expect(error, String(body)).to.be.an.instanceof(IdempotencyKeyError);
      expect(error, String(body)).to.include({ missing: true });
    }
  });

  it('refuses what is not JSON, or not even text, without quoting it', () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22]).toString('base64');

    for (const [event, message] of [
      [{ body: '{"card":4242' }, 'The body is not JSON'],
      [{ body: bytes, isBase64Encoded: true }, 'The body is not UTF-8'],
    ] as const) {
      const error = errorOf(() => select(event));

      expect(error).to.be.an.instanceof(IdempotencyKeyError);
      expect(error).to.include({ message, missing: false });
      expect(error.cause).to.equal(undefined);
    }
  });

  it('wants a function', () => {
    expect(() => jsonBody('orderId' as never)).to.throw(TypeError, 'jsonBody');
  });
});
