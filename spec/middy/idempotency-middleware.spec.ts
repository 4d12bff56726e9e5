import { expect } from 'chai';
import {
  IdempotencyClaimLostError,
  IdempotencyInProgressError,
  IdempotencyKeyError,
  isReplayedError,
  MemoryStore,
} from '../../lib/index.js';
import { idempotencyMiddleware } from '../../lib/middy/index.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { call, describeWithMiddy, type Order } from './bench.js';
import type { ChainRequest } from './support.js';

describeWithMiddy('idempotencyMiddleware', (bench) => {
  it('runs the handler once per key and answers a retry with its response', async () => {
    const chain = bench.chainOf().use(bench.idempotent());

    expect(await call(chain)).to.deep.equal({ run: 1 });
    expect(await call(chain)).to.deep.equal({ run: 1 });
    expect(await call(chain, { orderId: 'o2' })).to.deep.equal({ run: 2 });
    expect(bench.types()).to.deep.equal([
      'claimed',
      'completed',
      'replayed',
      'claimed',
      'completed',
    ]);
    expect(await bench.store.get('orders#o1')).to.include({ status: 'COMPLETED' });
  });

  for (const value of [undefined, null, false, 0, 'x']) {
    it(`answers a retry with ${String(value)}, and runs nothing`, async () => {
      const chain = bench.chainOf(() => value).use(bench.idempotent());

      expect(await call(chain)).to.equal(value);
      expect(await call(chain)).to.equal(value);
      expect(bench.runs).to.equal(1);
    });
  }

  it('lets no middleware after it run for a replay, and each before it run up to it', async () => {
    const log: string[] = [];
    const logged = (name: string) => ({
      before: () => void log.push(`${name} before`),
      after: () => void log.push(`${name} after`),
    });
    const chain = bench.chainOf().use(logged('outer')).use(bench.idempotent()).use(logged('inner'));

    await call(chain);
    expect(log).to.deep.equal(['outer before', 'inner before', 'inner after', 'outer after']);
    log.length = 0;
    await call(chain);
    expect(log).to.deep.equal(['outer before']);
  });

  it('records what the middlewares after it made of the response', async () => {
    const cors = {
      after: (request: ChainRequest) => {
        request.response = { ...(request.response as object), headers: { cors: '*' } };
      },
    };
    const chain = bench.chainOf().use(bench.idempotent()).use(cors);

    await call(chain);

    expect(await call(chain)).to.deep.equal({ run: 1, headers: { cors: '*' } });
  });

  it('makes the key of the event as the middlewares before it left it', async () => {
    const parser = (request: ChainRequest): void => {
      request.event = JSON.parse(request.event as string) as unknown;
    };
    const chain = bench.chainOf().before(parser).use(bench.idempotent());

    await call(chain, '{"orderId":"o7"}');

    expect(await bench.store.get('orders#o7')).to.include({ status: 'COMPLETED' });
  });

  it('takes the event as the key where there is no key function', async () => {
    const chain = bench.chainOf().use(bench.idempotent({ key: undefined } as never));

    await call(chain, { a: 1, b: 2 }, { awsRequestId: 'r1' });
    await call(chain, { b: 2, a: 1 }, { awsRequestId: 'r2' });
    await call(chain, { a: 2, b: 2 });

    expect(bench.runs).to.equal(2);
  });

  it('frees the key when the handler throws, and passes its own error on', async () => {
    const failure = new Error('The bank did not answer');
    let failed = false;
    const chain = bench
      .chainOf(() => {
        if (failed) return { run: bench.runs };
        failed = true;
        throw failure;
      })
      .use(bench.idempotent());

    expect(await expectRejection(call(chain))).to.equal(failure);
    expect(bench.types()).to.deep.equal(['claimed', 'released']);
    expect(await call(chain)).to.deep.equal({ run: 2 });
  });

  it('frees the key when a middleware after it throws', async () => {
    const failure = new Error('invalid');
    for (const hook of ['before', 'after'] as const) {
      const chain = bench.chainOf().use(bench.idempotent());
      chain[hook](() => {
        throw failure;
      });
      expect(await expectRejection(call(chain, { orderId: hook }))).to.equal(failure);
      expect(await bench.store.get(`orders#${hook}`)).to.equal(undefined);
    }
  });

  it('keeps the record when a middleware before it throws after the fact', async () => {
    const chain = bench
      .chainOf()
      .after(() => {
        throw new Error('The serializer failed');
      })
      .use(bench.idempotent());

    await expectRejection(call(chain));

    expect(await call(chain)).to.deep.equal({ run: 1 });
    expect(bench.types()).to.deep.equal(['claimed', 'completed', 'replayed']);
  });

  it('refuses a call while another one runs', async () => {
    const gate = deferred();
    const chain = bench.chainOf(() => gate.promise.then(() => 'done')).use(bench.idempotent());

    const running = call(chain);
    await expectRejection(call(chain), IdempotencyInProgressError);
    gate.resolve();

    expect(await running).to.equal('done');
    expect(bench.runs).to.equal(1);
  });

  it('waits for a running call where it is told to', async () => {
    const gate = deferred();
    const chain = bench
      .chainOf(() => gate.promise.then(() => 'done'))
      .use(bench.idempotent({ wait: 5 }));

    const both = Promise.all([call(chain), call(chain)]);
    await bench.clock.advance(1000);
    gate.resolve();

    expect(await both).to.deep.equal(['done', 'done']);
    expect(bench.runs).to.equal(1);
  });

  it('hands a replay through onReplay, and only a replay', async () => {
    const chain = bench
      .chainOf()
      .use(bench.idempotent({ onReplay: (reply) => ({ ...(reply as object), replayed: true }) }));

    expect(await call(chain)).to.deep.equal({ run: 1 });
    expect(await call(chain)).to.deep.equal({ run: 1, replayed: true });
  });

  it('does not keep a response that recordResultIf refuses', async () => {
    const chain = bench
      .chainOf(() => ({ statusCode: bench.runs === 1 ? 503 : 201 }))
      .use(
        bench.idempotent({
          recordResultIf: (reply) => (reply as { statusCode: number }).statusCode < 500,
        }),
      );

    expect(await call(chain)).to.deep.equal({ statusCode: 503 });
    expect(await call(chain)).to.deep.equal({ statusCode: 201 });
    expect(await call(chain)).to.deep.equal({ statusCode: 201 });
    expect(bench.runs).to.equal(2);
  });

  it('replays a recorded error, the original one though an inner onError replaced it', async () => {
    const chain = bench
      .chainOf(() => {
        throw Object.assign(new Error('declined'), { code: 'DECLINED' });
      })
      .use(bench.idempotent({ recordErrorIf: () => true }))
      .onError((request) => {
        if (!isReplayedError(request.error)) request.error = { statusCode: 500 };
      });

    await call(chain).catch(() => undefined);
    const error = await expectRejection<Error & { code: string }>(call(chain));

    expect(error).to.include({ message: 'declined', code: 'DECLINED' });
    expect(bench.runs).to.equal(1);
  });

  it('throws what its caller must know when the record is lost', async () => {
    const seen: unknown[] = [];
    const chain = bench
      .chainOf(() => bench.clock.advance(61_000).then(() => 'late'))
      .use(bench.idempotent({ renewFor: 0 }))
      .onError(({ error }) => void seen.push(error))
      .before(async () => {
        await bench.clock.advance(61_000);
        await call(other);
      });
    const other = bench.middy(() => 'other').use(bench.idempotent());

    const error = await expectRejection(call(chain), IdempotencyClaimLostError);

    expect(error.result).to.equal('late');
    expect(seen).to.deep.equal([error]);
  });

  it('runs unprotected where that is asked for', async () => {
    const chain = bench.chainOf().use(bench.idempotent({ onMissingKey: 'run' }));

    expect(await call(chain, {})).to.deep.equal({ run: 1 });
    expect(await call(chain, {})).to.deep.equal({ run: 2 });
    expect(bench.store.seen).to.deep.equal([]);
  });

  it('keeps concurrent calls of one chain apart', async () => {
    const chain = bench
      .middy(async ({ orderId }: Order) => Promise.resolve(`placed ${orderId}`))
      .use(bench.idempotent());
    const ids = Array.from({ length: 20 }, (_, index) => `o${String(index)}`);

    const first = await Promise.all(ids.map((orderId) => call(chain, { orderId })));
    const second = await Promise.all(ids.map((orderId) => call(chain, { orderId })));

    expect(first).to.deep.equal(ids.map((id) => `placed ${id}`));
    expect(second).to.deep.equal(first);
  });
});

describe('idempotencyMiddleware', () => {
  it('needs a namespace', () => {
    expect(() => idempotencyMiddleware({} as never)).to.throw(
      TypeError,
      'Expected the option `namespace`, since there is no name to derive it from: a middleware has none (idempotencyMiddleware())',
    );
    expect(() => idempotencyMiddleware(undefined as never)).to.throw(TypeError, '`namespace`');
  });

  it('refuses wrong options where it is made', () => {
    expect(() => idempotencyMiddleware({ namespace: 'orders', ttl: -1 })).to.throw(
      RangeError,
      'Expected `ttl` to be a positive number of seconds, got -1 (idempotencyMiddleware(orders))',
    );
  });

  it('throws key errors that name it', async () => {
    const { before } = idempotencyMiddleware({
      namespace: 'orders',
      key: (order: Order) => order.orderId,
      store: new MemoryStore(),
    });
    const request = { event: {} as Order, response: undefined };

    const error = await expectRejection(before(request), IdempotencyKeyError);

    expect(error.method).to.equal('orders');
  });
});
