import { expect } from 'chai';
import { replayCache, type ReplayCacheOptions } from '../../lib/cache/index.js';
import type { Commit, IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { appliedThen, dropped, heldUntil, replyLost } from '../support/intercepted-store.js';
import { CachedBench, NOW_MS } from './cached-bench.js';

describe('replayCache', () => {
  describe('claim', () => {
    it('is answered without a request once the store has shown a finished record', async () => {
      for (const outcome of [
        { result: '{"n":1}' },
        { result: Uint8Array.of(1, 2), encoding: 'mine' },
        { resultOmitted: 'too-large' },
        { status: 'FAILED', error: { name: 'CardError', message: 'declined', code: 'E' } },
      ] as const) {
        const bench = new CachedBench();
        bench.seed({ ...outcome, claimToken: 't1', fingerprint: 'f00' });

        const first = await bench.ask(NOW_MS);
        const second = await bench.ask(NOW_MS);
        const third = await bench.ask(NOW_MS + 59_999);

        expect([first.asked, second.asked, third.asked]).to.deep.equal([1, 0, 0]);
        expect(first.record).to.deep.include({ claimToken: 't1', fingerprint: 'f00', ...outcome });
        expect(second.record).to.deep.equal(first.record);
        expect(third.record).to.deep.equal(first.record);
      }
    });

    it('goes to the store for a record of this process too, the first time', async () => {
      const bench = new CachedBench();
      await bench.run(NOW_MS);

      expect(await bench.costAt(NOW_MS + 1)).to.equal(1);
      expect(await bench.costAt(NOW_MS + 2)).to.equal(0);
    });

    // F52
    it('always goes to the store while the record is in progress', async () => {
      const bench = new CachedBench();
      bench.seed({ status: 'INPROGRESS', inProgressUntilMs: NOW_MS + 60_000 });

      expect(await bench.costAt(NOW_MS)).to.equal(1);
      expect(await bench.costAt(NOW_MS + 1)).to.equal(1);

      bench.seed();
      expect((await bench.ask(NOW_MS + 2)).record).to.include({ status: 'COMPLETED' });
    });

    it('goes to the store again after maxAge, by the time of the claims', async () => {
      const bench = new CachedBench({ maxAge: 1.5 });
      bench.seed();

      expect(await bench.costAt(NOW_MS)).to.equal(1);
      expect(await bench.costAt(NOW_MS + 1499)).to.equal(0);
      expect(await bench.costAt(NOW_MS + 1500)).to.equal(1);
      expect(await bench.costAt(NOW_MS + 2999)).to.equal(0);
    });

    it('counts maxAge from before the store was asked', async () => {
      const bench = new CachedBench({ maxAge: 10 });
      bench.seed();
      const gate = deferred();
      bench.behind.next('claim', heldUntil(gate.promise));
      const slow = bench.ask(NOW_MS);

      gate.resolve();
      await slow;

      expect(await bench.costAt(NOW_MS + 9_999)).to.equal(0);
      expect(await bench.costAt(NOW_MS + 10_000)).to.equal(1);
    });

    it('keeps a record for 60 s by default', async () => {
      const bench = new CachedBench();
      bench.seed();
      await bench.ask(NOW_MS);

      expect(await bench.costAt(NOW_MS + 59_999)).to.equal(0);
      expect(await bench.costAt(NOW_MS + 60_000)).to.equal(1);
    });

    // F50, F52
    it('is answered up to the very end of the ttl and the clock skew, and not after it', async () => {
      const bench = new CachedBench({}, 2);
      bench.seed({ expiresAtMs: NOW_MS + 3000 });
      await bench.ask(NOW_MS);

      expect(await bench.costAt(NOW_MS + 5000)).to.equal(0);

      const { record, asked } = await bench.ask(NOW_MS + 5001);
      expect(asked).to.equal(1);
      expect(record).to.equal(undefined);
      expect(await bench.memory.get('o1')).to.include({ status: 'INPROGRESS' });
    });

    it('is answered within maxAge where a record has no end', async () => {
      const bench = new CachedBench();
      const forever = { id: 'o1', status: 'COMPLETED', result: '1' } as const;
      bench.behind.next('claim', () => Promise.resolve({ claimed: false, record: forever }));
      await bench.ask(NOW_MS);

      expect(await bench.ask(NOW_MS + 1)).to.deep.equal({ record: forever, asked: 0 });
    });

    it('does not bring an old record back when the clock is set back', async () => {
      const bench = new CachedBench();
      bench.seed();
      await bench.ask(NOW_MS);

      expect(await bench.costAt(NOW_MS - 1)).to.equal(1);

      bench.behind.next('claim', dropped());
      await expectRejection(bench.ask(NOW_MS + 60_000));
      expect(await bench.costAt(NOW_MS + 1)).to.equal(1);
    });

    it('does not bring back a record that another claim of this process has replaced', async () => {
      const bench = new CachedBench();
      bench.seed({ expiresAtMs: NOW_MS + 3000 });
      const gate = deferred();
      bench.behind.next(
        'claim',
        appliedThen(() => gate.promise),
      );
      const early = bench.ask(NOW_MS);
      await bench.run(NOW_MS + 3001, { result: '"new"' });

      gate.resolve();
      await early;

      const { record, asked } = await bench.ask(NOW_MS + 1);
      expect(asked).to.equal(1);
      expect(record?.result).to.equal('"new"');
    });

    // F52
    it('gives each caller a record of its own', async () => {
      const bench = new CachedBench();
      const error = { name: 'Error', message: 'm' };
      bench.seed({ result: Uint8Array.of(1, 2, 3), error });
      for (let replay = 0; replay < 3; replay++) {
        const { record } = await bench.ask(NOW_MS);

        expect(record?.result).to.be.instanceOf(Uint8Array);
        expect([...(record?.result as Uint8Array)]).to.deep.equal([1, 2, 3]);
        expect(record?.error).to.deep.equal(error);
        expect(record?.status).to.equal('COMPLETED');

        (record?.result as Uint8Array).fill(9);
        Object.assign(record?.error ?? {}, { message: 'changed' });
        Object.assign(record ?? {}, { status: 'FAILED', result: 'changed' });
      }
    });

    it('keeps at most `max` records, those asked for last', async () => {
      const bench = new CachedBench({ max: 2 });
      for (const id of ['a', 'b', 'c']) bench.seed({ id });
      for (const id of ['a', 'b', 'a', 'c']) await bench.ask(NOW_MS, id);

      expect(await bench.costAt(NOW_MS, 'a')).to.equal(0);
      expect(await bench.costAt(NOW_MS, 'c')).to.equal(0);
      expect(await bench.costAt(NOW_MS, 'b')).to.equal(1);
    });

    it('hands its limits to the store, and what the store rejects with to its caller', async () => {
      const bench = new CachedBench();
      const failure = new Error('throttled');
      bench.behind.next('claim', dropped(failure));
      const request = bench.request(NOW_MS);

      const error = await expectRejection(bench.store.claim(request, { timeoutMs: 7 }));

      expect(error).to.equal(failure);
      expect(bench.behind.seen.at(-1)?.args).to.deep.equal([request, { timeoutMs: 7 }]);
      expect(await bench.costAt(NOW_MS)).to.equal(1);
    });
  });

  describe('forget', () => {
    it('is seen at once', async () => {
      const bench = new CachedBench();
      bench.seed();
      await bench.ask(NOW_MS);

      expect(await bench.store.forget('o1')).to.equal(true);

      expect(await bench.ask(NOW_MS)).to.deep.equal({ record: undefined, asked: 1 });
    });

    it('is seen at once also where its reply was lost', async () => {
      const bench = new CachedBench();
      bench.seed();
      await bench.ask(NOW_MS);
      bench.behind.next('forget', replyLost());

      await expectRejection(bench.store.forget('o1'));

      expect(await bench.ask(NOW_MS)).to.deep.equal({ record: undefined, asked: 1 });
    });

    it('is not undone by a claim whose reply comes after it', async () => {
      const bench = new CachedBench();
      bench.seed();
      const gate = deferred();
      bench.behind.next(
        'claim',
        appliedThen(() => gate.promise),
      );
      const early = bench.ask(NOW_MS);

      await bench.store.forget('o1');
      gate.resolve();

      expect((await early).record).to.include({ status: 'COMPLETED' });
      expect(await bench.ask(NOW_MS)).to.deep.equal({ record: undefined, asked: 1 });
    });

    it('lets claims after it fill the cache, whatever is still on its way from before', async () => {
      const bench = new CachedBench();
      bench.seed({ result: '"old"' });
      const gate = deferred();
      bench.behind.next(
        'claim',
        appliedThen(() => gate.promise),
      );
      const early = bench.ask(NOW_MS);
      await bench.store.forget('o1');
      bench.seed({ result: '"new"' });
      await bench.ask(NOW_MS);

      gate.resolve();
      await early;

      const { record, asked } = await bench.ask(NOW_MS);
      expect(asked).to.equal(0);
      expect(record?.result).to.equal('"new"');
    });

    it('of another process is seen after maxAge at the latest', async () => {
      const bench = new CachedBench({ maxAge: 5 });
      bench.seed();
      await bench.ask(NOW_MS);

      await bench.memory.forget('o1');

      expect(await bench.costAt(NOW_MS + 4999)).to.equal(0);
      expect(await bench.ask(NOW_MS + 5000)).to.deep.equal({ record: undefined, asked: 1 });
    });

    it('passes its options on', async () => {
      const bench = new CachedBench();

      await bench.store.forget('o1', { force: true, nowMs: NOW_MS });

      expect(bench.behind.seen.at(-1)?.args).to.deep.equal(['o1', { force: true, nowMs: NOW_MS }]);
    });
  });

  describe('get', () => {
    it('asks the store each time', async () => {
      const bench = new CachedBench();
      bench.seed();
      await bench.ask(NOW_MS);
      bench.seed({ result: '{"n":2}' });

      const record = await bench.store.get('o1', { timeoutMs: 9 });

      expect(record?.result).to.equal('{"n":2}');
      expect(bench.behind.seen.at(-1)).to.deep.equal({
        operation: 'get',
        args: ['o1', { timeoutMs: 9 }],
      });
    });
  });

  describe('renew, complete and release', () => {
    it('are handed to the store as they are', async () => {
      const bench = new CachedBench();
      const outcome = await bench.store.claim(bench.request(NOW_MS));
      if (!outcome.claimed) throw new Error('Refused');
      const { claim } = outcome;
      const completion = { status: 'COMPLETED', nowMs: NOW_MS, ttlMs: 1000 } as const;
      const limits = { timeoutMs: 5 };

      await bench.store.renew(claim, NOW_MS + 90_000, limits);
      await bench.store.complete(claim, completion, limits);
      await bench.store.release(claim, limits);

      expect(bench.behind.seen.slice(1)).to.deep.equal([
        { operation: 'renew', args: [claim, NOW_MS + 90_000, limits] },
        { operation: 'complete', args: [claim, completion, limits] },
        { operation: 'release', args: [claim, limits] },
      ]);
    });
  });

  describe('commit', () => {
    it('is there only where the store knows transactions', () => {
      const store = replayCache(withoutCommit(), { max: 1 });

      expect('commit' in store).to.equal(false);
    });

    it('is handed to the store as it is', async () => {
      const seen: unknown[][] = [];
      const behind = Object.assign(withoutCommit(), {
        commit(this: unknown, ...args: unknown[]) {
          seen.push([this, ...args]);
          return Promise.resolve();
        },
      });
      const commit: Commit = { token: 't', writes: [{ Put: {} }] };

      await replayCache(behind, { max: 1 }).commit?.(commit, { timeoutMs: 3 });

      expect(seen).to.deep.equal([[behind, commit, { timeoutMs: 3 }]]);
    });
  });

  describe('options', () => {
    const memory = new MemoryStore();
    const cases: readonly (readonly [unknown, typeof TypeError | typeof RangeError, string])[] = [
      [{}, TypeError, '`max` to be a whole number from 1 to 1000000, got undefined (replayCache)'],
      [{ max: '5' }, TypeError, '`max` to be a whole number from 1 to 1000000, got "5"'],
      [{ max: 0 }, RangeError, 'got 0 (replayCache)'],
      [{ max: 1.5 }, RangeError, 'got 1.5'],
      [{ max: Infinity }, RangeError, 'got Infinity'],
      [{ max: 1_000_001 }, RangeError, 'got 1000001'],
      [
        { max: 1, maxAge: 0 },
        RangeError,
        'Expected `maxAge` to be a positive number of seconds up to 86400, got 0 (replayCache)',
      ],
      [{ max: 1, maxAge: -1 }, RangeError, 'got -1'],
      [{ max: 1, maxAge: NaN }, RangeError, 'got NaN'],
      [{ max: 1, maxAge: 86_401 }, RangeError, 'got 86401'],
      [{ max: 1, maxAge: '60' }, TypeError, 'got "60"'],
      [{ max: 1, ttl: 60 }, TypeError, 'some of the options max, maxAge, got `ttl` (replayCache)'],
      [undefined, TypeError, '`options` to be an object with `max`, got undefined (replayCache)'],
    ];
    for (const [options, errorClass, message] of cases) {
      it(`throw where they are wrong: ${message}`, () => {
        expect(() => replayCache(memory, options as ReplayCacheOptions)).to.throw(
          errorClass,
          message,
        );
      });
    }

    it('may be at their limits', () => {
      expect(() => replayCache(memory, { max: 1, maxAge: 86_400 })).not.to.throw();
      expect(() => replayCache(memory, { max: 1_000_000, maxAge: 0.001 })).not.to.throw();
    });

    it('need a store', () => {
      const store = { claim: () => undefined } as unknown as IdempotencyStore;

      expect(() => replayCache(store, { max: 1 })).to.throw(
        TypeError,
        'Expected `store` to be a store, got an object (replayCache)',
      );
    });
  });
});

/** A store with the six methods alone. */
function withoutCommit(): IdempotencyStore {
  const memory = new MemoryStore();
  return {
    claim: (request) => memory.claim(request),
    renew: (claim, untilMs) => memory.renew(claim, untilMs),
    complete: (claim, completion) => memory.complete(claim, completion),
    release: (claim) => memory.release(claim),
    get: (id) => memory.get(id),
    forget: (id, options) => memory.forget(id, options),
  };
}
