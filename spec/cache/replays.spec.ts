import { expect } from 'chai';
import { replayCache } from '../../lib/cache/index.js';
import {
  IdempotencyPayloadMismatchError,
  isReplayedError,
  runIdempotent,
  withIdempotency,
  type MethodOptions,
  type ResultCodec,
} from '../../lib/index.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock } from '../../lib/testing/index.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { InterceptedStore } from '../support/intercepted-store.js';

interface Order {
  readonly orderId: string;
  readonly amount: number;
}

/** Idempotent calls through a cache, as a user makes them. */
function make({ maxAge }: { readonly maxAge?: number } = {}) {
  const clock = manualClock();
  const behind = new InterceptedStore(new MemoryStore({ clock }));
  const store = replayCache(behind, { max: 10, ...(maxAge === undefined ? {} : { maxAge }) });
  let runs = 0;
  const call = <R>(
    body: () => R | Promise<R>,
    options: MethodOptions<undefined, [Order], R> = {},
    amount = 10,
  ) =>
    withIdempotency({ store, clock }, () =>
      runIdempotent(
        { orderId: 'o1', amount },
        () => {
          runs += 1;
          return body();
        },
        { key: (order: Order) => order.orderId, ...options },
      ),
    );
  return { clock, behind, store, call, runs: () => runs };
}

describe('replays from a replayCache', () => {
  it('cost no request', async () => {
    const { behind, call, runs } = make();
    await call(() => ({ n: 1 }));
    await call(() => ({ n: 2 }));
    const before = behind.seen.length;

    for (let replay = 0; replay < 5; replay++) {
      expect(await call(() => ({ n: 3 }))).to.deep.include({
        status: 'replayed',
        result: { n: 1 },
      });
    }

    expect(behind.seen.length).to.equal(before);
    expect(runs()).to.equal(1);
  });

  // F52
  it('refuse another payload each time', async () => {
    const { call, runs } = make();
    const options = { fingerprint: (order: Order) => order.amount };
    await call(() => 'paid', options, 10);
    for (const warm of [1, 2]) {
      await expectRejection(
        call(() => 'paid', options, 99),
        IdempotencyPayloadMismatchError,
      );
      expect((await call(() => 'paid', options, 10)).status, String(warm)).to.equal('replayed');
    }

    const error = await expectRejection(
      call(() => 'paid', options, 99),
      IdempotencyPayloadMismatchError,
    );

    expect(error.code).to.equal('ERR_IDEMPOTENCY_PAYLOAD_MISMATCH');
    expect(runs()).to.equal(1);
  });

  // F52
  it('are not changed by what callers do to a result', async () => {
    const { call } = make();
    await call(() => ({ list: [1, 2] }));
    for (let replay = 0; replay < 4; replay++) {
      const outcome = await call(() => ({ list: [0] }));

      expect(outcome).to.deep.include({ status: 'replayed', result: { list: [1, 2] } });
      if (outcome.status !== 'in-progress') outcome.result.list.push(9);
    }
  });

  // F52
  it('are not changed by what callers do to bytes that a codec passes on', async () => {
    const { call } = make();
    const codec: ResultCodec<Uint8Array> = {
      name: 'bytes',
      encode: (result) => result,
      decode: (encoded) => encoded as Uint8Array,
    };
    await call(() => Uint8Array.of(1, 2), { codec });
    for (let replay = 0; replay < 4; replay++) {
      const outcome = await call(() => Uint8Array.of(0), { codec });
      if (outcome.status !== 'replayed') throw new Error('Not a replay');

      expect([...outcome.result]).to.deep.equal([1, 2]);
      outcome.result.fill(9);
    }
  });

  // F50, F52
  it('end with the ttl', async () => {
    const { clock, call, runs } = make({ maxAge: 3600 });
    await call(() => 1, { ttl: 30 });
    await call(() => 2, { ttl: 30 });
    await clock.advance(30_000);
    expect(await call(() => 3, { ttl: 30 })).to.deep.include({ status: 'replayed', result: 1 });

    await clock.advance(1);

    expect(await call(() => 4, { ttl: 30 })).to.deep.include({ status: 'executed', result: 4 });
    expect(await call(() => 5, { ttl: 30 })).to.deep.include({ status: 'replayed', result: 4 });
    expect(runs()).to.equal(2);
  });

  // F52
  it('never stand for a call that is still running', async () => {
    const { call } = make();
    const gate = deferred<number>();
    const running = call(() => gate.promise);
    expect((await call(() => 2)).status).to.equal('in-progress');
    expect((await call(() => 3)).status).to.equal('in-progress');

    gate.resolve(1);
    await running;

    expect(await call(() => 4)).to.deep.include({ status: 'replayed', result: 1 });
  });

  it('rethrow a recorded error, a fresh one each time', async () => {
    const { behind, call, runs } = make();
    const options = { recordErrorIf: () => true };
    const failing = () => call(() => Promise.reject(new RangeError('declined')), options);
    await expectRejection(failing());
    const first = await expectRejection(failing());
    const before = behind.seen.length;

    const second = await expectRejection(failing());

    expect(second).to.not.equal(first);
    expect(second).to.deep.include({ name: 'RangeError', message: 'declined' });
    expect(isReplayedError(second)).to.equal(true);
    expect(behind.seen.length).to.equal(before);
    expect(runs()).to.equal(1);
  });

  it('are given up for a key that was forgotten', async () => {
    const { store, call } = make();
    await call(() => 1);
    await call(() => 2);

    await store.forget('o1');

    expect(await call(() => 3)).to.deep.include({ status: 'executed', result: 3 });
  });
});
