import { inspect } from 'node:util';
import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import {
  IdempotencyInProgressError,
  IdempotencyKeyError,
  IdempotencyPayloadMismatchError,
} from '../../lib/errors/index.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock, type ManualClock } from '../../lib/testing/manual-clock.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { InterceptedStore } from '../support/intercepted-store.js';
import { doors, type DoorOptions, type Place } from './doors.js';

/** Keys that are none, missing ones first. */
const noKeys: readonly unknown[] = [
  undefined,
  null,
  '',
  '  ',
  NaN,
  [undefined],
  { a: undefined, b: null },
  'order-undefined',
  'null',
  '[object Object]/1',
];
const unusable: readonly unknown[] = [
  true,
  Symbol('k'),
  () => 'k',
  Promise.resolve('k'),
  new Map([[1, 2]]),
  new Set([1]),
  { n: 10n },
  2 ** 60,
  '\ud800',
];

describe('every door', () => {
  let clock: ManualClock;
  let memory: MemoryStore;
  let store: InterceptedStore;
  let runs: number;
  let restore: () => void;

  beforeEach(() => {
    clock = manualClock();
    memory = new MemoryStore({ clock });
    store = new InterceptedStore(memory);
    runs = 0;
    restore = configureIdempotency({ store, clock });
  });

  afterEach(() => {
    restore();
  });

  for (const [name, door] of Object.entries(doors)) {
    // F30
    describe(name, () => {
      const options: DoorOptions = { namespace: 'orders', key: (order) => order.orderId };
      const make = (body?: Place, more: DoorOptions = {}): Place =>
        door(
          (order) => {
            runs += 1;
            return body === undefined ? Promise.resolve({ run: runs }) : body(order);
          },
          { ...options, ...more },
        );

      it('runs once per key and replays the result', async () => {
        const place = make();

        expect(await place({ orderId: 'o1' })).to.deep.equal({ run: 1 });
        expect(await place({ orderId: 'o1' })).to.deep.equal({ run: 1 });
        expect(await place({ orderId: 'o2' })).to.deep.equal({ run: 2 });
      });

      it('makes the same record', async () => {
        await make()({ orderId: 'o1' });

        const { claimToken, ...record } = (await memory.get('orders#o1'))!;
        expect(claimToken).to.match(/^[0-9a-f-]{36}$/u);
        expect(record).to.deep.equal({
          id: 'orders#o1',
          status: 'COMPLETED',
          result: '{"run":1}',
          completedAtMs: clock.now(),
          expiresAtMs: clock.now() + 3_600_000,
          takeoverAtMs: clock.now() + 3_600_000,
        });
        expect(store.seen.map(({ operation }) => operation)).to.deep.equal(['claim', 'complete']);
      });

      it('takes 1, "1" and 1n for one key, and a key that looks hashed for a key', async () => {
        const place = make();
        for (const orderId of [1, '1', 1n]) await place({ orderId });
        expect(runs).to.equal(1);

        for (const orderId of [`sha256:${'0'.repeat(64)}`, ['t1', 'o1'], 'x'.repeat(5000)]) {
          await place({ orderId });
          await place({ orderId });
        }
        expect(runs).to.equal(4);
        expect([...memory.records()].slice(1).map(({ id }) => id)).to.satisfy((ids: string[]) =>
          ids.every((id) => /^orders#sha256:[0-9a-f]{64}$/u.test(id)),
        );
      });

      it('refuses a second call while the first runs', async () => {
        const gate = deferred();
        const place = make(() => gate.promise);
        const first = place({ orderId: 'o1' });
        await clock.advance(0);

        const error = await expectRejection(place({ orderId: 'o1' }), IdempotencyInProgressError);

        expect(error.retryAfterMs).to.equal(60_000);
        expect(runs).to.equal(1);
        gate.resolve();
        await first;
      });

      it("frees the key when the method throws, and passes the method's own error on", async () => {
        const declined = new Error('declined');
        const place = make(() => Promise.reject(declined));

        expect(await expectRejection(place({ orderId: 'o1' }))).to.equal(declined);
        expect(await expectRejection(place({ orderId: 'o1' }))).to.equal(declined);
        expect([runs, memory.size]).to.deep.equal([2, 0]);
      });

      it('refuses the same key with another fingerprint', async () => {
        const place = make(undefined, { fingerprint: (order) => order });
        await place({ orderId: 1 });

        await expectRejection(place({ orderId: '1' }), IdempotencyPayloadMismatchError);
        expect(runs).to.equal(1);
      });

      for (const orderId of [...noKeys, ...unusable, false]) {
        // F04
        it(`refuses the key ${inspect(orderId)} before the store is touched`, async () => {
          await expectRejection(make()({ orderId }), IdempotencyKeyError);

          expect([runs, store.seen.length]).to.deep.equal([0, 0]);
        });
      }

      // F04
      it('runs without a key where it is told to, without the store, for missing keys alone', async () => {
        const place = make(undefined, { onMissingKey: 'run' });
        for (const orderId of noKeys) await place({ orderId });
        expect([runs, store.seen.length]).to.deep.equal([noKeys.length, 0]);

        for (const orderId of unusable) {
          await expectRejection(place({ orderId }), IdempotencyKeyError);
        }
        expect([runs, store.seen.length]).to.deep.equal([noKeys.length, 0]);
      });

      it('refuses a key function that throws, whatever is to be done about missing keys', async () => {
        const cause = new Error('no order id');
        const key = (): never => {
          throw cause;
        };
        const error = await expectRejection(
          make(undefined, { key, onMissingKey: 'run' })({ orderId: 'o1' }),
          IdempotencyKeyError,
        );

        expect(error.cause).to.equal(cause);
        expect([runs, store.seen.length]).to.deep.equal([0, 0]);
      });
    });
  }
});
