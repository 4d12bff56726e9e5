import { expect } from 'chai';
import {
  IdempotencyClaimLostError,
  IdempotencyExpiredClaimError,
  IdempotencyPayloadMismatchError,
  IdempotencyStoreError,
} from '../../lib/errors/index.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import {
  appliedThen,
  connectionLost,
  dropped,
  heldUntil,
  replyLost,
} from '../support/intercepted-store.js';
import { Harness } from './harness.js';

const LEASE_MS = 60_000;

describe('protocol', () => {
  let harness: Harness;
  let runs: number;
  const body = (): string => {
    runs += 1;
    return `receipt ${String(runs)}`;
  };

  beforeEach(() => {
    harness = new Harness();
    runs = 0;
  });

  afterEach(() => {
    harness.dispose();
  });

  describe('claim, run, record, replay', () => {
    it('runs the first call and gives every later one its result', async () => {
      const first = await harness.call(body);
      const second = await harness.call(body);

      expect(first).to.deep.equal({ status: 'executed', result: 'receipt 1' });
      expect(second).to.deep.include({ status: 'replayed', result: 'receipt 1' });
      expect(runs).to.equal(1);
    });

    it('asks the store twice for a first run and once for a replay', async () => {
      await harness.call(body);
      expect(harness.store.seen.map((each) => each.operation)).to.deep.equal(['claim', 'complete']);

      await harness.call(body);
      expect(harness.store.seen).to.have.lengthOf(3);
      expect(harness.store.count('claim')).to.equal(2);
    });

    // F14
    it('answers only after the result is recorded', async () => {
      const gate = deferred();
      harness.store.next('complete', heldUntil(gate.promise));
      let answered = false;

      const call = harness.call(body).then((outcome) => {
        answered = true;
        return outcome;
      });
      await harness.clock.advance(1000);
      expect(answered).to.equal(false);

      gate.resolve();
      await call;
      expect((await harness.memory.get('o1'))?.status).to.equal('COMPLETED');
    });

    // F14
    it('replays directly after the first answer, a thousand times', async () => {
      for (let round = 0; round < 1000; round++) {
        const key = `round-${String(round)}`;
        await harness.call(body, { key });
        const second = await harness.call(body, { key });
        expect(second.status).to.equal('replayed');
      }
      expect(runs).to.equal(1000);
    });

    // F09
    it('records a method that returns nothing', async () => {
      const first = await harness.call(() => {
        runs += 1;
      });
      const second = await harness.call(() => {
        runs += 1;
      });

      expect(first).to.deep.equal({ status: 'executed', result: undefined });
      expect(second).to.deep.include({ status: 'replayed', result: undefined });
      expect(await harness.memory.get('o1')).to.not.have.property('result');
      expect(runs).to.equal(1);
    });

    for (const value of [null, 0, false, '', [], {}]) {
      it(`replays ${JSON.stringify(value)} as itself`, async () => {
        await harness.call(() => value);
        const second = await harness.call(() => value);

        expect(second).to.deep.include({ status: 'replayed', result: value });
      });
    }

    it('runs again once the ttl is over, and replaces the record in one write', async () => {
      await harness.call(body, { ttl: 60 });
      await harness.clock.advance(60_001);
      harness.store.seen.length = 0;

      const outcome = await harness.call(body, { ttl: 60 });

      expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt 2' });
      expect(harness.store.seen.map((each) => each.operation)).to.deep.equal(['claim', 'complete']);
    });

    // F15
    it('keeps the ttl of each call although they share a store', async () => {
      await harness.call(body, { key: 'short', ttl: 60 });
      await harness.call(body, { key: 'long', ttl: 3600 });

      const nowMs = harness.clock.now();
      expect((await harness.memory.get('short'))?.expiresAtMs).to.equal(nowMs + 60_000);
      expect((await harness.memory.get('long'))?.expiresAtMs).to.equal(nowMs + 3_600_000);
    });
  });

  describe('while another call runs', () => {
    it('answers in progress with the moment of a possible takeover, without running', async () => {
      const gate = deferred();
      const first = harness.call(() => gate.promise);
      await harness.clock.advance(0);

      const second = await harness.call(body);

      expect(second).to.deep.include({ status: 'in-progress', retryAfterMs: LEASE_MS });
      expect(runs).to.equal(0);
      gate.resolve();
      await first;
    });

    // F02
    it('leaves the running claim as it is, byte for byte, however often it is refused', async () => {
      const gate = deferred<string>();
      const first = harness.call(() => gate.promise);
      await harness.clock.advance(0);
      const before = await harness.memory.get('o1');

      await harness.call(body);
      await harness.call(body);

      expect(await harness.memory.get('o1')).to.deep.equal(before);
      gate.resolve('only one');
      await first;
      expect(await harness.call(body)).to.deep.include({ status: 'replayed', result: 'only one' });
      expect(runs).to.equal(0);
    });

    it('lets one of twenty callers run', async () => {
      const gate = deferred();
      const calls = Array.from({ length: 20 }, () =>
        harness.call(async () => {
          runs += 1;
          await gate.promise;
        }),
      );
      await harness.clock.advance(0);
      gate.resolve();
      const outcomes = await Promise.all(calls);

      expect(runs).to.equal(1);
      expect(outcomes.filter(({ status }) => status === 'executed')).to.have.lengthOf(1);
      expect(outcomes.filter(({ status }) => status === 'in-progress')).to.have.lengthOf(19);
    });
  });

  describe('when the method throws', () => {
    it('frees the key and passes the very error on', async () => {
      const declined = new Error('card declined');

      const error = await expectRejection(harness.call(() => Promise.reject(declined)));

      expect(error).to.equal(declined);
      expect(await harness.memory.get('o1')).to.equal(undefined);
      expect(await harness.call(body)).to.deep.include({ status: 'executed' });
    });

    it('passes on what is no error at all', async () => {
      let thrown: unknown;
      try {
        await harness.call(() => {
          throw 'out of stock';
        });
      } catch (error) {
        thrown = error;
      }
      expect(thrown).to.equal('out of stock');
      expect(harness.memory.size).to.equal(0);
    });

    // F43
    it('passes the error on when the release fails, and the lease frees the key', async () => {
      const declined = new Error('card declined');
      harness.store.next('release', dropped());

      expect(await expectRejection(harness.call(() => Promise.reject(declined)))).to.equal(
        declined,
      );
      expect(harness.types()).to.deep.equal(['claimed', 'store-error']);
      expect((await harness.call(body)).status).to.equal('in-progress');

      await harness.clock.advance(LEASE_MS + 1);
      expect((await harness.call(body)).status).to.equal('executed');
    });

    it('passes the error on when the release never answers', async () => {
      const declined = new Error('card declined');
      harness.store.next('release', heldUntil(deferred().promise));

      const call = expectRejection(harness.call(() => Promise.reject(declined)));
      await harness.clock.advance(10_000);

      expect(await call).to.equal(declined);
    });

    // F01
    it('takes a release whose reply was lost for done', async () => {
      harness.store.next('release', replyLost());

      await expectRejection(harness.call(() => Promise.reject(new Error('card declined'))));

      expect(await harness.memory.get('o1')).to.equal(undefined);
    });

    // F11
    it('records the error where it is told to, and gives it to retries without a run', async () => {
      class ReceiptError extends Error {
        override readonly name = 'ReceiptError';
        readonly code = 'E_RECEIPT';
        readonly statusCode = 502;
      }
      const recordErrorIf = (error: unknown): boolean => error instanceof ReceiptError;
      const charge = (): string => {
        runs += 1;
        throw new ReceiptError('printer on fire');
      };

      await expectRejection(harness.call(charge, { recordErrorIf }), ReceiptError);
      const replayed = await expectRejection(harness.call(charge, { recordErrorIf }));

      expect(runs).to.equal(1);
      expect(replayed).to.include({
        name: 'ReceiptError',
        message: 'printer on fire',
        code: 'E_RECEIPT',
        statusCode: 502,
      });
    });

    // F11
    it('does not free the key when the predicate throws', async () => {
      const recordErrorIf = (): boolean => {
        throw new Error('predicate');
      };
      await expectRejection(
        harness.call(() => Promise.reject(new Error('declined')), { recordErrorIf }),
      );

      expect((await harness.memory.get('o1'))?.status).to.equal('FAILED');
    });
  });

  describe('when the record cannot be written', () => {
    const failures = {
      throttling: { name: 'ThrottlingException', retryable: true },
      'a missing permission': { name: 'AccessDeniedException', retryable: false },
      'a refused request': { name: 'ValidationException', retryable: false },
    };
    for (const [what, { name, retryable }] of Object.entries(failures)) {
      // F03
      it(`never frees the key after the method succeeded: ${what}`, async () => {
        const failure = new IdempotencyStoreError(name, { operation: 'complete', retryable });
        harness.store.next('complete', ...Array.from({ length: 50 }, () => dropped(failure)));

        const first = harness.call(body);
        await harness.clock.advance(10_000);

        expect(await first).to.deep.equal({ status: 'executed', result: 'receipt 1' });
        expect(harness.store.count('release')).to.equal(0);
        expect((await harness.call(body)).status).to.equal('in-progress');
        expect(runs).to.equal(1);
        expect(harness.types()).to.include('completion-failed');
      });
    }

    it('repeats the completion until it is written', async () => {
      harness.store.next('complete', dropped(), dropped(), dropped());

      const first = harness.call(body);
      await harness.clock.advance(10_000);

      expect((await first).status).to.equal('executed');
      expect((await harness.call(body)).status).to.equal('replayed');
      expect(harness.store.count('complete')).to.equal(4);
    });

    it('does not repeat what repeating cannot mend', async () => {
      const denied = new IdempotencyStoreError('denied', {
        operation: 'complete',
        retryable: false,
      });
      harness.store.next('complete', dropped(denied));

      await harness.call(body);

      expect(harness.store.count('complete')).to.equal(1);
    });

    it('stops repeating at the end of the claim', async () => {
      harness.store.next('complete', ...Array.from({ length: 50 }, () => dropped()));

      const call = harness.call(body, { lease: 2 });
      await harness.clock.advance(2000);
      await call;

      expect(harness.clock.pendingTimers).to.equal(0);
    });

    // F01
    it('takes a completion whose reply was lost for done', async () => {
      harness.store.next('complete', replyLost());

      const first = harness.call(body);
      await harness.clock.advance(1000);

      expect((await first).status).to.equal('executed');
      expect((await harness.call(body)).status).to.equal('replayed');
      expect(harness.types()).to.not.include('completion-failed');
    });

    it('rejects with the result on the error where it is told to', async () => {
      const denied = new IdempotencyStoreError('denied', {
        operation: 'complete',
        retryable: false,
      });
      harness.store.next('complete', dropped(denied));

      const error = await expectRejection(
        harness.call(body, { onCompletionFailure: 'throw' }),
        IdempotencyStoreError,
      );

      expect(error).to.include({ operation: 'complete', result: 'receipt 1' });
      expect(Object.keys(error)).to.not.include('result');
      expect(error.message).to.include('the method ran and succeeded');
    });
  });

  describe('when the claim gets lost', () => {
    // F07
    it('changes nothing in the table when it succeeds late, and says so with the result', async () => {
      const late = deferred<string>();
      const successor = deferred<string>();
      const first = harness.call(() => late.promise, { lease: 1, renewFor: 0 });
      await harness.clock.advance(2000);
      const second = harness.call(() => successor.promise, { lease: 1, renewFor: 0 });
      await harness.clock.advance(0);
      const row = await harness.memory.get('o1');

      late.resolve('too late');
      const error = await expectRejection(first, IdempotencyClaimLostError);

      expect(error.result).to.equal('too late');
      expect(await harness.memory.get('o1')).to.deep.equal(row);
      expect((await harness.call(body)).status).to.equal('in-progress');
      successor.resolve('in time');
      await second;
      expect(await harness.call(body)).to.deep.include({ status: 'replayed', result: 'in time' });
      expect(runs).to.equal(0);
    });

    // F07
    it('does not free the successor when it throws late', async () => {
      const late = deferred<string>();
      const successor = deferred<string>();
      const first = harness.call(() => late.promise, { lease: 1, renewFor: 0 });
      await harness.clock.advance(2000);
      const second = harness.call(() => successor.promise, { lease: 1, renewFor: 0 });
      await harness.clock.advance(0);
      const row = await harness.memory.get('o1');

      const declined = new Error('card declined');
      late.reject(declined);

      expect(await expectRejection(first)).to.equal(declined);
      expect(await harness.memory.get('o1')).to.deep.equal(row);
      successor.resolve('in time');
      await second;
    });

    it('completes late where nobody took over', async () => {
      const late = deferred<string>();
      const first = harness.call(() => late.promise, { lease: 1, renewFor: 0 });
      await harness.clock.advance(5000);

      late.resolve('late but alone');

      expect((await first).status).to.equal('executed');
      expect(await harness.call(body)).to.deep.include({ result: 'late but alone' });
    });

    // F33, F10
    it('lets the next call run once the lease is over, not before', async () => {
      void harness.call(() => deferred().promise, { renewFor: 0 });
      await harness.clock.advance(LEASE_MS);
      expect((await harness.call(body)).status).to.equal('in-progress');

      await harness.clock.advance(1);

      expect((await harness.call(body)).status).to.equal('executed');
      expect(harness.events.find(({ type }) => type === 'claimed')).to.include({ takeover: false });
      expect(harness.events.filter(({ type }) => type === 'claimed')[1]).to.include({
        takeover: true,
      });
    });

    // F34
    it('frees a crashed key at the lease although results are kept for a day', async () => {
      void harness.call(() => deferred().promise, { ttl: 86_400, renewFor: 0 });
      await harness.clock.advance(LEASE_MS + 1);

      expect((await harness.call(body)).status).to.equal('executed');
    });

    // F10
    it('keeps a lease that is longer than the ttl', async () => {
      void harness.call(() => deferred().promise, { ttl: 2, lease: 3600, renewFor: 0 });
      await harness.clock.advance(3_600_000);
      expect((await harness.call(body)).status).to.equal('in-progress');

      await harness.clock.advance(1);
      expect((await harness.call(body)).status).to.equal('executed');
    });

    // F10
    it("never runs again under onExpiredClaim: 'reject', however long ago it was", async () => {
      void harness.call(() => deferred().promise, { onExpiredClaim: 'reject', renewFor: 0 });
      await harness.clock.advance(0);
      expect((await harness.call(body, { onExpiredClaim: 'reject' })).status).to.equal(
        'in-progress',
      );

      await harness.clock.advance(400 * 24 * 3_600_000);
      const error = await expectRejection(
        harness.call(body, { onExpiredClaim: 'reject' }),
        IdempotencyExpiredClaimError,
      );

      expect(error.record.status).to.equal('INPROGRESS');
      expect(runs).to.equal(0);
      expect(await harness.memory.forget(error.id ?? '')).to.equal(true);
      expect((await harness.call(body, { onExpiredClaim: 'reject' })).status).to.equal('executed');
    });
  });

  describe('when the claim goes wrong', () => {
    // F01
    it('knows its own claim again when only the reply was lost', async () => {
      // What an SDK does by itself: the request is applied, its reply lost, and sent once more.
      harness.store.next('claim', async (forward) => {
        await forward();
        return forward();
      });

      const outcome = await harness.call(body);

      expect(outcome.status).to.equal('executed');
      expect(harness.events[0]).to.include({ type: 'claimed', takeover: true });
      expect((await harness.call(body)).status).to.equal('replayed');
      expect(runs).to.equal(1);
    });

    // F19
    it('does not run when the store is unavailable, and says why', async () => {
      const cause = connectionLost();
      harness.store.next('claim', dropped(cause));

      const error = await expectRejection(harness.call(body), IdempotencyStoreError);

      expect(runs).to.equal(0);
      expect(error).to.include({ operation: 'claim', retryable: true, cause });
      expect(error.message).to.include('the method did not run');
    });

    it('gives back a claim that may have been applied before it rejects', async () => {
      harness.store.next('claim', replyLost());

      await expectRejection(harness.call(body), IdempotencyStoreError);

      expect(harness.memory.size).to.equal(0);
    });

    it('rejects with the failed claim although the release fails too', async () => {
      harness.store.next('claim', replyLost()).next('release', dropped());

      const error = await expectRejection(harness.call(body), IdempotencyStoreError);

      expect(error.operation).to.equal('claim');
      await harness.clock.advance(LEASE_MS + 1);
      expect((await harness.call(body)).status).to.equal('executed');
    });

    // F19
    it("runs unprotected under onStoreUnavailable: 'run', and records nothing it cannot own", async () => {
      const failure = new IdempotencyStoreError('refused', {
        operation: 'claim',
        retryable: true,
        maybeApplied: false,
      });
      harness.store.next('claim', dropped(failure));

      const outcome = await harness.call(body, { onStoreUnavailable: 'run' });

      expect(outcome).to.deep.equal({ status: 'executed', result: 'receipt 1' });
      expect(harness.store.seen.map((each) => each.operation)).to.deep.equal(['claim']);
      expect(harness.types()).to.deep.equal(['store-error', 'unprotected']);
    });

    it('completes a claim that was applied after all when failing open', async () => {
      harness.store.next('claim', replyLost());

      await harness.call(body, { onStoreUnavailable: 'run' });

      expect(await harness.call(body)).to.deep.include({ status: 'replayed', result: 'receipt 1' });
      expect(harness.store.count('complete')).to.equal(1);
    });

    it('releases a claim that was applied after all when failing open and throwing', async () => {
      harness.store.next('claim', replyLost());

      await expectRejection(
        harness.call(() => Promise.reject(new Error('declined')), { onStoreUnavailable: 'run' }),
      );

      expect(harness.memory.size).to.equal(0);
    });

    it('throws for a missing table or permission even when it fails open', async () => {
      const missing = new IdempotencyStoreError('no table', {
        operation: 'claim',
        retryable: false,
        maybeApplied: false,
      });
      harness.store.next('claim', dropped(missing));

      await expectRejection(
        harness.call(body, { onStoreUnavailable: 'run' }),
        IdempotencyStoreError,
      );
      expect(runs).to.equal(0);
    });

    it('renews a claim that took longer than its lease before it starts', async () => {
      harness.store.next(
        'claim',
        appliedThen(() => harness.clock.advance(LEASE_MS)),
      );
      const startedAt = { ms: 0 };

      await harness.call(() => {
        startedAt.ms = harness.clock.now();
        return body();
      });

      expect(harness.store.count('renew')).to.equal(1);
      expect((await harness.memory.get('o1'))?.status).to.equal('COMPLETED');
    });

    it('never starts on a claim that somebody took over before it could start', async () => {
      const other = deferred<string>();
      let successor: Promise<unknown> | undefined;
      harness.store.next(
        'claim',
        appliedThen(async () => {
          await harness.clock.advance(LEASE_MS + 1);
          successor = harness.call(() => other.promise);
          await harness.clock.advance(0);
        }),
      );

      const outcome = await harness.call(body);

      expect(outcome.status).to.equal('in-progress');
      expect(runs).to.equal(0);
      other.resolve('theirs');
      await successor;
    });

    it('gives up in progress, leaving no claim, when every round comes too late', async () => {
      const late = appliedThen(() => harness.clock.advance(LEASE_MS));
      harness.store.next('claim', late, late, late).next('renew', late, late, late);

      const outcome = await harness.call(body);

      expect(outcome.status).to.equal('in-progress');
      expect(runs).to.equal(0);
      expect(harness.memory.size).to.equal(0);
    });

    const wrongAnswers: Readonly<Record<string, () => Promise<unknown>>> = {
      'no promise': () => undefined as unknown as Promise<unknown>,
      'no outcome': () => Promise.resolve(undefined),
      'an outcome without a claim': () => Promise.resolve({ claimed: true }),

      'a rejection with undefined': () => Promise.reject(undefined),
      'a synchronous throw': () => {
        throw new Error('sync');
      },
    };
    for (const [what, answer] of Object.entries(wrongAnswers)) {
      it(`turns ${what} of a store into one store error, without running`, async () => {
        const store = Object.assign(Object.create(harness.memory) as object, {
          claim: answer,
          release: () => Promise.resolve(),
        });

        const error = await expectRejection(
          harness.call(body, {}, { store: store as never }),
          IdempotencyStoreError,
        );

        expect(error.operation).to.equal('claim');
        expect(runs).to.equal(0);
      });
    }
  });

  describe('fingerprint', () => {
    const options = (amount: number) => ({ fingerprint: () => ({ amount }) });

    // F49
    it('refuses the same key with another payload, completed', async () => {
      await harness.call(body, options(10));

      const error = await expectRejection(
        harness.call(body, options(99)),
        IdempotencyPayloadMismatchError,
      );

      expect(error.record.status).to.equal('COMPLETED');
      expect((await harness.call(body, options(10))).status).to.equal('replayed');
      expect(runs).to.equal(1);
    });

    // F49, F02
    it('refuses it while the first call runs, before it says in progress', async () => {
      const gate = deferred();
      const first = harness.call(() => gate.promise, options(10));
      await harness.clock.advance(0);

      await expectRejection(harness.call(body, options(99)), IdempotencyPayloadMismatchError);

      gate.resolve();
      await first;
    });

    it('accepts a record that has none', async () => {
      await harness.call(body);

      expect((await harness.call(body, options(10))).status).to.equal('replayed');
    });
  });

  describe('recordResultIf', () => {
    const recordResultIf = (reply: { statusCode: number }): boolean => reply.statusCode < 500;

    // F57
    it('frees the key where it says false, and the caller gets the result all the same', async () => {
      const outcome = await harness.call(() => ({ statusCode: 503 }), { recordResultIf });

      expect(outcome).to.deep.include({ status: 'executed', result: { statusCode: 503 } });
      expect(harness.memory.size).to.equal(0);
    });

    it('records where it says true', async () => {
      await harness.call(() => ({ statusCode: 200 }), { recordResultIf });

      expect((await harness.memory.get('o1'))?.status).to.equal('COMPLETED');
    });

    // F57
    it('records when it throws or returns a promise', async () => {
      const wrong: readonly (() => unknown)[] = [
        () => {
          throw new Error('predicate');
        },
        () => Promise.resolve(false),
        () => undefined,
      ];
      for (const [index, predicate] of wrong.entries()) {
        const key = `o${String(index)}`;
        await harness.call(body, { key, recordResultIf: predicate as () => boolean });
        expect((await harness.memory.get(key))?.status).to.equal('COMPLETED');
      }
    });
  });
});
