import { expect } from 'chai';
import { MemoryStore, withIdempotency } from '../../lib/index.js';
import { manualClock } from '../../lib/testing/index.js';
import { RefundApi, type Reply } from '../examples/http-refunds.js';
import { lambdaContext } from '../examples/lambda-context.js';
import { OrderHandler } from '../examples/order-handler.js';
import type { Order, PlacedOrder } from '../examples/order.js';
import { redeliverHttpRequest, redeliverRestRequest } from '../examples/redeliver.js';
import { sampleEvents } from '../examples/sample-events.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

type Request = ReturnType<typeof sampleEvents.httpRequest>;

/** The client's request for a refund; each is sent anew. */
function refundOf(paymentId: string, key = 'key-1'): Request {
  const request = redeliverHttpRequest(sampleEvents.httpRequest());
  return {
    ...request,
    rawPath: '/refunds',
    headers: { ...request.headers, 'idempotency-key': key },
    body: JSON.stringify({ paymentId }),
  };
}

describe('examples/http-refunds', () => {
  const clock = manualClock();
  const inSpec = (run: () => Promise<void>) => () =>
    withIdempotency({ store: new MemoryStore({ clock }), clock }, run);

  /** Refunds, each after `before`. */
  function apiWith(before: () => Promise<void> = () => Promise.resolve()): {
    readonly refunded: string[];
    send(request: Request): Promise<Reply>;
  } {
    const refunded: string[] = [];
    const api = new RefundApi({
      refund: async (paymentId) => {
        await before();
        refunded.push(paymentId);
        return { refundId: `refund-${String(refunded.length)}` };
      },
    });
    return { refunded, send: (request) => api.handle(request, lambdaContext()) };
  }

  it(
    'replies as before to a retry, and says so',
    inSpec(async () => {
      const { refunded, send } = apiWith();

      const first = await send(refundOf('payment-1'));
      const second = await send(refundOf('payment-1'));

      expect(first).to.deep.equal({ statusCode: 201, body: '{"refundId":"refund-1"}' });
      expect(second).to.deep.equal({
        ...first,
        headers: {
          'Idempotent-Replayed': 'true',
          'Original-Date': new Date(clock.now()).toUTCString(),
        },
      });
      expect(refunded).to.deep.equal(['payment-1']);
    }),
  );

  it(
    'answers a key that is in use with 409 and when to come back',
    inSpec(async () => {
      const gate = deferred();
      const { send } = apiWith(() => gate.promise);

      const running = send(refundOf('payment-1'));
      const reply = await send(refundOf('payment-1'));
      gate.resolve();

      expect(reply.statusCode).to.equal(409);
      expect(Number(reply.headers?.['Retry-After'])).to.be.within(29, 30);
      expect(JSON.parse(reply.body)).to.include({
        type: 'https://developer.example.com/idempotency',
        title: 'A request is outstanding for this Idempotency-Key',
      });
      expect((await running).statusCode).to.equal(201);
    }),
  );

  it(
    'answers a key with another request with 422, and a request without a key with 400',
    inSpec(async () => {
      const { refunded, send } = apiWith();
      await send(refundOf('payment-1'));

      const other = await send(refundOf('payment-2'));
      const keyless = await send(refundOf('payment-3', ''));

      expect([other.statusCode, keyless.statusCode]).to.deep.equal([422, 400]);
      expect(JSON.parse(keyless.body)).to.include({ title: 'Idempotency-Key is missing' });
      expect(refunded).to.deep.equal(['payment-1']);
    }),
  );

  it(
    'throws on what is not about idempotency, and the retry runs',
    inSpec(async () => {
      const failure = new Error('The bank did not answer');
      let failed = false;
      const { refunded, send } = apiWith(() => {
        if (failed) return Promise.resolve();
        failed = true;
        return Promise.reject(failure);
      });

      expect(await expectRejection(send(refundOf('payment-1')))).to.equal(failure);
      expect((await send(refundOf('payment-1'))).statusCode).to.equal(201);
      expect(refunded).to.deep.equal(['payment-1']);
    }),
  );
});

describe('examples/order-handler', () => {
  it('tells the client that a reply was given before', async () => {
    const orders = {
      place: async ({ orderId, totalAmount }: Order): Promise<PlacedOrder> =>
        Promise.resolve({ id: 'placed-1', orderId, totalAmount, placedAt: '2026-05-18T09:30:00Z' }),
    };
    const handler = new OrderHandler(orders);
    const event = sampleEvents.restRequest();

    await withIdempotency({ store: new MemoryStore() }, async () => {
      const first = await handler.http(event, lambdaContext());
      const second = await handler.http(redeliverRestRequest(event), lambdaContext());

      expect(second).to.deep.equal({ ...first, headers: { 'Idempotent-Replayed': 'true' } });
    });
  });
});
