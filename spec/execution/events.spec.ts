import { channel } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { IdempotencyStoreError } from '../../lib/errors/index.js';
import { observeIdempotency, type IdempotencyEvent } from '../../lib/execution/events.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import { warningsDuring } from '../decorator/support.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { dropped } from '../support/intercepted-store.js';
import { Harness } from './harness.js';

describe('events', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  describe('order', () => {
    const failing = (): Promise<never> => Promise.reject(new Error('declined'));

    it('is claimed, completed for a first run and replayed for a repeat', async () => {
      await harness.call(() => 'done');
      await harness.call(() => 'done');

      expect(harness.types()).to.deep.equal(['claimed', 'completed', 'replayed']);
      expect(harness.events[0]).to.include({ takeover: false });
      expect(harness.events[1]).to.include({ failed: false, resultOmitted: false });
      expect(harness.events[2]).to.include({ failed: false });
    });

    it('is claimed, released for a failure', async () => {
      await expectRejection(harness.call(failing));

      expect(harness.types()).to.deep.equal(['claimed', 'released']);
    });

    it('is claimed, released for a result that is not to be recorded', async () => {
      await harness.call(() => 'no', { recordResultIf: () => false });

      expect(harness.types()).to.deep.equal(['claimed', 'released']);
    });

    it('is claimed, completed, replayed for a recorded failure, marked as failed', async () => {
      const options = { recordErrorIf: () => true };
      await expectRejection(harness.call(failing, options));
      await expectRejection(harness.call(failing, options));

      expect(harness.types()).to.deep.equal(['claimed', 'completed', 'replayed']);
      expect(harness.events[1]).to.include({ failed: true });
      expect(harness.events[2]).to.include({ failed: true });
    });

    it('says when a result was omitted', async () => {
      await warningsDuring(() => harness.call(() => 10n, { namespace: 'omitted' }));

      expect(harness.events[1]).to.include({ type: 'completed', resultOmitted: true });
    });

    it('is in-progress for a call that finds another one, with its end', async () => {
      const gate = deferred();
      const first = harness.call(() => gate.promise);
      await harness.clock.advance(0);
      await harness.call(() => 'second');

      expect(harness.types()).to.deep.equal(['claimed', 'in-progress']);
      expect(harness.events[1]).to.include({ untilMs: harness.clock.now() + 60_000 });
      gate.resolve();
      await first;
    });

    it('is store-error, completion-failed where the result cannot be recorded', async () => {
      const denied = new IdempotencyStoreError('denied', {
        operation: 'complete',
        retryable: false,
      });
      harness.store.next('complete', dropped(denied));
      await warningsDuring(() => harness.call(() => 'done', { namespace: 'failed-completion' }));

      expect(harness.types()).to.deep.equal(['claimed', 'store-error', 'completion-failed']);
      expect(harness.events[1]).to.include({ operation: 'complete' });
      expect((harness.events[2] as unknown as { error: Error }).error).to.include({
        code: 'ERR_IDEMPOTENCY_STORE',
        operation: 'complete',
      });
    });

    it('is unprotected for a call without a key that runs all the same', async () => {
      await harness.call(() => 'done', { key: () => undefined, onMissingKey: 'run' });

      expect(harness.types()).to.deep.equal(['unprotected']);
      expect(harness.events[0]).to.include({ why: 'missing-key', id: '', token: '' });
    });
  });

  describe('each event', () => {
    it('tells id, namespace, method, and how long the call has taken', async () => {
      const gate = deferred();
      const call = harness.call(() => gate.promise, { namespace: 'charge' });
      await harness.clock.advance(1234);
      gate.resolve();
      await call;

      const base = { id: 'charge#o1', namespace: 'charge', method: 'runIdempotent(charge)' };
      expect(harness.events[0]).to.include({ ...base, durationMs: 0 });
      expect(harness.events[1]).to.include({ ...base, durationMs: 1234 });
    });

    it('takes no time back when the clock is corrected', async () => {
      const gate = deferred();
      const call = harness.call(() => gate.promise);
      await harness.clock.advance(0);
      harness.clock.set(harness.clock.now() - 5000);
      gate.resolve();
      await call;

      expect(harness.events.at(-1)).to.include({ type: 'completed', durationMs: 0 });
    });

    it('tells the token that the record carries, another one for each call', async () => {
      await harness.call(() => 'done');
      await harness.call(() => 'done');

      const tokens = harness.events.map(({ token }) => token);
      expect(tokens[0]).to.equal((await harness.memory.get('o1'))?.claimToken);
      expect(tokens[1]).to.equal(tokens[0]);
      expect(tokens[2]).to.not.equal(tokens[0]);
    });
  });

  describe('without a listener', () => {
    it('publishes nothing and does not even ask for the time', async () => {
      harness.dispose();
      let asked = 0;
      const clock = {
        now: () => {
          asked += 1;
          return harness.clock.now();
        },
        setTimer: harness.clock.setTimer.bind(harness.clock),
      };
      const timed = (): Promise<unknown> =>
        withIdempotency({ store: harness.memory, clock }, () => runIdempotent('o1', () => 'done'));
      expect(channel('mayfly-idempotency').hasSubscribers).to.equal(false);
      await timed();
      asked = 0;
      await timed();
      const unheard = asked;

      const seen: IdempotencyEvent[] = [];
      const stop = observeIdempotency((event) => seen.push(event));
      asked = 0;
      await timed().finally(stop);

      expect(asked).to.equal(unheard + 1);
      expect(seen.map(({ type }) => type)).to.deep.equal(['replayed']);
      expect(harness.events).to.deep.equal([]);
    });
  });

  describe('observeIdempotency', () => {
    const once = (id: string) => harness.call(() => id, { key: id });

    it('ends when it is told to, and then says nothing more', async () => {
      const seen: string[] = [];
      const stop = observeIdempotency(({ type }) => seen.push(type));
      await once('a');
      stop();
      stop();
      await once('b');

      expect(seen).to.deep.equal(['claimed', 'completed']);
    });

    it('counts each subscription by itself, also of the same listener', async () => {
      const seen: string[] = [];
      const listener = ({ type }: IdempotencyEvent): unknown => seen.push(type);
      const stops = [observeIdempotency(listener), observeIdempotency(listener)];
      await once('a');
      stops[0]?.();
      await once('b');
      stops[1]?.();

      expect(seen).to.have.lengthOf(6);
    });

    for (const value of [undefined, null, 5, 'listener']) {
      it(`refuses ${String(value)} for a listener`, () => {
        expect(() => observeIdempotency(value as unknown as () => void)).to.throw(
          TypeError,
          'Expected the listener to be a function (observeIdempotency)',
        );
      });
    }
  });

  const own = new Error('4111');
  const hostile = Object.defineProperty(new Error('x'), 'name', {
    get: () => {
      throw new Error('no name');
    },
  });
  const listeners: Readonly<Record<string, [listener: () => unknown, shown: string | undefined]>> =
    {
      throws: [
        () => {
          throw own;
        },
        'Error',
      ],
      'throws no error': [
        () => {
          throw 'text 4111';
        },
        'string',
      ],
      'throws what cannot be named': [
        () => {
          throw hostile;
        },
        'object',
      ],
      rejects: [() => Promise.reject(own), 'Error'],
      'rejects with what cannot be named': [() => Promise.reject(hostile), 'object'],
      'never settles': [() => deferred().promise, undefined],
    };
  for (const [what, [listener, shown]] of Object.entries(listeners)) {
    // F85
    it(`change nothing in a call when a listener ${what}, which is warned about`, async () => {
      const stop = observeIdempotency(listener);
      let runs = 0;
      const warnings = await warningsDuring(async () => {
        for (const status of ['executed', 'replayed']) {
          const outcome = await harness.call(() => {
            runs += 1;
            return 'done';
          });
          expect(outcome).to.include({ status, result: 'done' });
        }
        stop();
        await harness.clock.advance(0);
      });

      expect(runs).to.equal(1);
      expect(harness.types()).to.deep.equal(['claimed', 'completed', 'replayed']);
      const message = `A listener of observeIdempotency failed: ${String(shown)}`;
      expect(warnings).to.deep.equal(
        shown === undefined ? [] : Array(3).fill({ code: 'MAYFLY_LISTENER_FAILED', message }),
      );
    });
  }
});
