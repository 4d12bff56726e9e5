import { expect } from 'chai';
import { problemResponse } from '../../lib/events/index.js';
import { deferred } from '../support/deferred.js';
import { call, describeWithMiddy, type OrderOptions } from './bench.js';
import type { Chain } from './support.js';

describeWithMiddy('idempotencyMiddleware', (bench) => {
  describe('with http-error-handler', () => {
    async function replyTo(
      options: OrderOptions,
      order: unknown,
      prepare: (chain: Chain) => Promise<unknown> = () => Promise.resolve(),
    ): Promise<unknown> {
      const chain = bench.chainOf().use(bench.httpErrorHandler()).use(bench.idempotent(options));
      await prepare(chain);
      return call(chain, order);
    }

    const statusOf = (reply: unknown): unknown => (reply as { statusCode: number }).statusCode;

    it('replies 400 without a key, 422 to another payload, 409 while one runs', async () => {
      expect(statusOf(await replyTo({}, {}))).to.equal(400);

      const options: OrderOptions = { fingerprint: (order) => order.amount };
      const other = await replyTo(options, { orderId: 'o1', amount: 2 }, (chain) =>
        call(chain, { orderId: 'o1', amount: 1 }),
      );
      expect(statusOf(other)).to.equal(422);

      const gate = deferred();
      const slow = bench.middy(() => gate.promise).use(bench.idempotent());
      const running = call(slow, { orderId: 'o3' });
      await bench.clock.advance(0);
      const reply = await replyTo({}, { orderId: 'o3' });
      gate.resolve();
      await running;
      expect(statusOf(reply)).to.equal(409);
      expect((reply as { body: string }).body).to.match(/^Another call of orders with this key/u);
    });

    // It exposes only what is below 500, and 503 is not: the client sees a plain 500.
    it('replies 500 and nothing else when the store fails', async () => {
      bench.store.next('claim', () => Promise.reject(new Error('table orders-prod is on fire')));

      const reply = await replyTo({}, { orderId: 'o1' });

      expect(reply).to.include({ statusCode: 500 });
      expect(JSON.stringify(reply)).not.to.contain('fire');
      expect(bench.runs).to.equal(0);
    });

    it('frees the key when it made a response of the handler’s error, wherever it is', async () => {
      for (const orderId of ['first', 'last']) {
        const chain = bench.chainOf(() => {
          throw Object.assign(new Error('declined'), { statusCode: 402 });
        });
        const handler = bench.httpErrorHandler();
        if (orderId === 'first') chain.use(handler).use(bench.idempotent());
        else chain.use(bench.idempotent()).use(handler);

        expect(await call(chain, { orderId })).to.include({ statusCode: 402, body: 'declined' });
        expect(await bench.store.get(`orders#${orderId}`)).to.equal(undefined);
      }
    });
  });

  it('replies with problem details by one onError', async () => {
    const chain = bench
      .chainOf()
      .use(bench.idempotent())
      .onError(({ error }) => problemResponse(error));
    bench.store.next('claim', () => Promise.reject(new Error('down')));

    expect(await call(chain)).to.include({ statusCode: 503 });
    expect(await call(chain, {})).to.include({ statusCode: 400 });
    expect(await call(chain)).to.deep.equal({ run: 1 });
  });
});
