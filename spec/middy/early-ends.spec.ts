import { expect } from 'chai';
import {
  IdempotencyInProgressError,
  IdempotencyResultUnavailableError,
  makeIdempotent,
} from '../../lib/index.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { call, describeWithMiddy, type Order, type OrderOptions } from './bench.js';
import type { ChainRequest } from './support.js';

describeWithMiddy('idempotencyMiddleware', (bench) => {
  describe('where a middleware after it ends the chain early', () => {
    it('records a response that the handler never saw', async () => {
      const chain = bench
        .chainOf()
        .use(bench.idempotent())
        .before(() => 'cached');

      expect(await call(chain)).to.equal('cached');
      expect(await bench.store.get('orders#o1')).to.include({ status: 'COMPLETED' });
      expect(await call(chain)).to.equal('cached');
      expect(bench.runs).to.equal(0);
    });

    it('records a response that replaced the handler’s, before it answers', async () => {
      const written = deferred();
      bench.store.next('complete', (forward) => written.promise.then(forward));
      const chain = bench
        .chainOf()
        .use(bench.idempotent())
        .after(() => 'replaced');

      let answered = false;
      const answer = call(chain).finally(() => (answered = true));
      await bench.clock.advance(10);
      expect(answered).to.equal(false);
      written.resolve();

      expect(await answer).to.equal('replaced');
      expect(await call(chain)).to.equal('replaced');
      expect(bench.runs).to.equal(1);
    });

    it('records undefined as an early response', async () => {
      const chain = bench
        .chainOf()
        .use(bench.idempotent())
        .after((request) => {
          request.earlyResponse = undefined;
        });

      expect(await call(chain)).to.equal(undefined);
      expect(await call(chain)).to.equal(undefined);
      expect(bench.runs).to.equal(1);
      expect(bench.types()).to.deep.equal(['claimed', 'completed', 'replayed']);
    });

    it('frees the key when it made a response of an error, before it answers', async () => {
      const chain = bench
        .chainOf(() => {
          throw new Error('no');
        })
        .use(bench.idempotent())
        .onError(() => ({ statusCode: 422 }));

      expect(await call(chain)).to.deep.equal({ statusCode: 422 });
      expect(await bench.store.get('orders#o1')).to.equal(undefined);
    });

    it('leaves an error to be thrown that was answered with undefined', async () => {
      const failure = new Error('no');
      const chain = bench
        .chainOf(() => {
          throw failure;
        })
        .use(bench.idempotent())
        .onError((request) => {
          request.earlyResponse = undefined;
        });

      expect(await expectRejection(call(chain))).to.equal(failure);
      await bench.clock.advance(0);
      expect(await bench.store.get('orders#o1')).to.equal(undefined);
    });

    it('frees the key when its onError throws another error, or the same again', async () => {
      const rethrow = new Error('rethrown');
      for (const again of [(): unknown => rethrow, (request: ChainRequest) => request.error]) {
        const chain = bench
          .chainOf(() => {
            throw new Error('no');
          })
          .use(bench.idempotent())
          .onError((request) => {
            throw again(request);
          });

        await expectRejection(call(chain));
        await bench.clock.advance(0);

        expect(await bench.store.get('orders#o1')).to.equal(undefined);
      }
    });

    it('works inside another idempotent part of the same chain', async () => {
      const chain = bench
        .chainOf()
        .use(bench.idempotent({ namespace: 'outer' }))
        .use(bench.idempotent({ namespace: 'inner' }));

      await call(chain);
      await bench.store.forget('outer#o1');

      expect(await call(chain)).to.deep.equal({ run: 1 });
      expect(await bench.store.get('outer#o1')).to.include({ result: '{"run":1}' });
      expect(bench.runs).to.equal(1);
    });
  });

  describe('with an early timeout', () => {
    /** A context whose invocation ends in `remainingMs`, by this spec's bench.clock. */
    function contextOf(remainingMs: number): { getRemainingTimeInMillis(): number } {
      const endMs = bench.clock.now() + remainingMs;
      return { getRemainingTimeInMillis: () => endMs - bench.clock.now() };
    }

    /** One whose time is over by Middy's own timers, at once, and by this spec's clock is not. */
    function endingContext(reads = 2): { getRemainingTimeInMillis(): number } {
      const context = contextOf(30_000);
      // Middy reads it when it has called the handler, which is after the claim has read it.
      return {
        getRemainingTimeInMillis: () => (reads-- > 0 ? context.getRemainingTimeInMillis() : 1),
      };
    }

    const untied = { lease: undefined } as never as OrderOptions;

    it('leaves the key claimed while the handler may still run', async () => {
      const gate = deferred();
      const chain = bench.chainOf(() => gate.promise).use(bench.idempotent(untied));

      const error = await expectRejection(call(chain, { orderId: 'o1' }, endingContext()));
      expect(error.name).to.equal('TimeoutError');
      bench.runs = 0;

      await expectRejection(call(chain), IdempotencyInProgressError);
      expect(bench.runs).to.equal(0);
      gate.resolve();
    });

    it('lets a retry run once the invocation is over, one that waits in this process too', async () => {
      const gate = deferred<unknown>();
      const chain = bench
        .chainOf(() => (bench.runs === 1 ? gate.promise : 'second'))
        .use(bench.idempotent({ ...untied, wait: 1 }));
      await expectRejection(call(chain, { orderId: 'o1' }, endingContext()));

      await bench.clock.advance(33_000);

      expect(await call(chain, { orderId: 'o1' }, contextOf(30_000))).to.equal('second');
      expect(bench.runs).to.equal(2);
      gate.resolve('first');
    });

    it('leaves it to the operator under onExpiredClaim reject', async () => {
      const gate = deferred();
      const chain = bench
        .chainOf(() => gate.promise)
        .use(bench.idempotent({ ...untied, onExpiredClaim: 'reject' }));
      await expectRejection(call(chain, { orderId: 'o1' }, endingContext()));

      await bench.clock.advance(3_600_000);

      expect(await bench.store.get('orders#o1')).to.include({ status: 'INPROGRESS' });
      expect(bench.clock.pendingTimers).to.equal(0);
      gate.resolve();
    });

    it('takes an error in the last second for a timeout, unless it is to be recorded', async () => {
      for (const recordErrorIf of [() => false, () => true]) {
        const orderId = String(recordErrorIf());
        const chain = bench
          .chainOf(async () => {
            await bench.clock.advance(29_500);
            throw new Error('late');
          })
          .use(bench.idempotent({ ...untied, recordErrorIf }));

        await expectRejection(call(chain, { orderId }, contextOf(30_000)));

        const status = recordErrorIf() ? 'FAILED' : 'INPROGRESS';
        expect(await bench.store.get(`orders#${orderId}`)).to.include({ status });
      }
    });

    it('frees the key at once after an error before that', async () => {
      const chain = bench
        .chainOf(async () => {
          await bench.clock.advance(28_000);
          throw new Error('early');
        })
        .use(bench.idempotent(untied));

      await expectRejection(call(chain, { orderId: 'o1' }, contextOf(30_000)));

      expect(await bench.store.get('orders#o1')).to.equal(undefined);
    });

    it('records the handler’s own outcome where the handler itself is idempotent', async () => {
      const gate = deferred<string>();
      const handler = makeIdempotent(
        async (_order: Order, _context: unknown) => {
          bench.runs++;
          return gate.promise;
        },
        { namespace: 'orders', key: (order) => order.orderId },
      );
      const chain = bench.middy(handler);

      await expectRejection(call(chain, { orderId: 'o1' }, endingContext(1)));
      gate.resolve('late');
      await bench.clock.advance(0);

      expect(await call(chain)).to.equal('late');
      expect(bench.runs).to.equal(1);
    });
  });

  describe('with a streamed response', () => {
    it('refuses it, and never runs the handler again', async () => {
      const body = new ReadableStream();
      const chain = bench
        .chainOf(() => ({ statusCode: 200, body }))
        .use(
          bench.idempotent({
            recordResultIf: (reply) => (reply as { statusCode: number }).statusCode < 500,
          }),
        );

      expect((await expectRejection(call(chain), TypeError)).message).to.equal(
        'Expected a response that can be recorded, got a stream (idempotencyMiddleware(orders))',
      );
      await expectRejection(call(chain), IdempotencyResultUnavailableError);
      expect(bench.runs).to.equal(1);
    });
  });
});
