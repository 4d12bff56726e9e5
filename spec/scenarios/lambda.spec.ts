import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { observeIdempotency, type IdempotencyEvent } from '../../lib/execution/events.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock, type ManualClock } from '../../lib/testing/manual-clock.js';
import { warningsDuring } from '../decorator/support.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

interface Event {
  readonly orderId: string;
}

interface Context {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

const contextWith = (remainingMs: number, awsRequestId = 'r1'): Context => ({
  awsRequestId,
  getRemainingTimeInMillis: () => remainingMs,
});

describe('under Lambda', () => {
  let clock: ManualClock;
  let store: MemoryStore;
  let events: IdempotencyEvent[];
  let undo: (() => void)[];
  let gates: Map<string, ReturnType<typeof deferred<string>>>;

  class Handler {
    @Idempotent({ key: (event) => event.orderId, namespace: 'handler' })
    async handle(event: Event, _context?: Context): Promise<string> {
      return gates.get(event.orderId)?.promise ?? Promise.resolve(event.orderId);
    }
  }
  const handler = new Handler();
  const handle = handler.handle.bind(handler);

  beforeEach(() => {
    clock = manualClock();
    store = new MemoryStore({ clock });
    events = [];
    gates = new Map();
    undo = [
      configureIdempotency({ store, clock }),
      observeIdempotency((event) => events.push(event)),
    ];
  });

  afterEach(() => {
    for (const each of undo) each();
  });

  const untilMs = async (orderId: string): Promise<number | undefined> =>
    (await store.get(`handler#${orderId}`))?.inProgressUntilMs;

  // F36
  it('a bound handler is protected to the end of its invocation, without a word of set-up', async () => {
    const gate = deferred<string>();
    gates.set('o1', gate);
    const warnings = await warningsDuring(async () => {
      const call = handle({ orderId: 'o1' }, contextWith(12_345));
      await clock.advance(0);
      expect(await untilMs('o1')).to.equal(clock.now() + 12_345);
      gate.resolve('done');
      await call;
    });

    expect(warnings).to.deep.equal([]);
  });

  // F36
  it('a method without a context is protected by the default lease', async () => {
    const gate = deferred<string>();
    gates.set('o1', gate);
    const call = handle({ orderId: 'o1' });
    await clock.advance(0);

    expect(await untilMs('o1')).to.equal(clock.now() + 60_000);
    gate.resolve('done');
    await call;
  });

  // F21
  it('two invocations that overlap on one instance have each its own deadline and token', async () => {
    for (const orderId of ['short', 'long']) gates.set(orderId, deferred<string>());
    const short = handle({ orderId: 'short' }, contextWith(1000, 'r1'));
    const long = handle({ orderId: 'long' }, contextWith(300_000, 'r2'));
    await clock.advance(0);

    expect(await untilMs('short')).to.equal(clock.now() + 1000);
    expect(await untilMs('long')).to.equal(clock.now() + 300_000);

    gates.get('long')?.resolve('2');
    gates.get('short')?.resolve('1');
    expect(await Promise.all([short, long])).to.deep.equal(['1', '2']);
    for (const orderId of ['short', 'long']) {
      const id = `handler#${orderId}`;
      const own = events.filter((event) => event.id === id);
      expect(own.map(({ type }) => type)).to.deep.equal(['claimed', 'completed']);
      expect(new Set(own.map(({ token }) => token))).to.deep.equal(
        new Set([(await store.get(id))?.claimToken]),
      );
    }
  });

  // F33, F37
  it('an invocation that times out is taken over right after its end, not before', async () => {
    gates.set('o1', deferred<string>());
    void handle({ orderId: 'o1' }, contextWith(30_000));
    await clock.advance(0);
    gates.delete('o1');
    const record = await store.get('handler#o1');
    expect(record?.inProgressUntilMs).to.equal(clock.now() + 30_000);
    expect(record?.expiresAtMs).to.equal(clock.now() + 3_600_000);

    for (const step of [29_999, 1]) {
      await clock.advance(step);
      await expectRejection(handle({ orderId: 'o1' }, contextWith(30_000)));
    }
    await clock.advance(1);
    expect(await handle({ orderId: 'o1' }, contextWith(30_000))).to.equal('o1');

    expect((await store.get('handler#o1'))?.status).to.equal('COMPLETED');
    expect(events.filter(({ type }) => type === 'claimed')).to.have.lengthOf(2);
  });

  // F10
  it('a lease of an hour outlives the invocation that dies after thirty seconds', async () => {
    const undone = deferred();
    class Withdrawals {
      @Idempotent({ key: 'w1', namespace: 'withdraw', lease: 3600, renewFor: 0 })
      async withdraw(_context: Context): Promise<void> {
        await undone.promise;
      }
    }
    const withdrawals = new Withdrawals();
    void withdrawals.withdraw(contextWith(30_000));
    await clock.advance(31_000);

    const error = await expectRejection(withdrawals.withdraw(contextWith(30_000)));
    expect(error).to.include({
      code: 'ERR_IDEMPOTENCY_IN_PROGRESS',
      retryAfterMs: 3_600_000 - 31_000,
    });
  });
});
