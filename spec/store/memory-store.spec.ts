import { expect } from 'chai';
import fc from 'fast-check';
import type { Claim, ClaimRequest, Completion } from '../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { expectRejection } from '../support/expect-rejection.js';

const START_MS = Date.UTC(2030, 0, 1);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let tokens = 0;

function request(id: string, overrides: Partial<ClaimRequest> = {}): ClaimRequest {
  const { nowMs = START_MS } = overrides;
  return {
    id,
    token: `token-${String(++tokens)}`,
    nowMs,
    ttlMs: HOUR_MS,
    inProgressUntilMs: nowMs + MINUTE_MS,
    onExpiredClaim: 'run',
    ...overrides,
  };
}

async function claim(
  store: MemoryStore,
  id: string,
  overrides: Partial<ClaimRequest> = {},
): Promise<Claim> {
  const outcome = await store.claim(request(id, overrides));
  if (!outcome.claimed) throw new Error(`The claim of ${id} was refused`);
  return outcome.claim;
}

function completion(overrides: Partial<Completion> = {}): Completion {
  return { status: 'COMPLETED', nowMs: START_MS, ttlMs: HOUR_MS, result: '1', ...overrides };
}

async function complete(
  store: MemoryStore,
  id: string,
  overrides: Partial<Completion> = {},
): Promise<void> {
  await store.complete(await claim(store, id), completion(overrides));
}

function idsIn(store: MemoryStore): string[] {
  return [...store.records()].map(({ id }) => id);
}

describe('MemoryStore', () => {
  describe('constructor', () => {
    it('refuses a clock skew that is no number of seconds', () => {
      expect(() => new MemoryStore({ clockSkew: '2' as never })).to.throw(
        TypeError,
        'Expected `clockSkew` to be a number of seconds, 0 or more, got "2" (MemoryStore)',
      );
      for (const clockSkew of [-1, NaN, Infinity]) {
        expect(() => new MemoryStore({ clockSkew })).to.throw(RangeError, 'Expected `clockSkew`');
      }
    });

    it('refuses a number of records that is no whole number of at least 1', () => {
      expect(() => new MemoryStore({ maxRecords: null as never })).to.throw(
        TypeError,
        'Expected `maxRecords` to be a whole number of at least 1, got null (MemoryStore)',
      );
      for (const maxRecords of [0, -1, 1.5, NaN, Infinity]) {
        expect(() => new MemoryStore({ maxRecords })).to.throw(RangeError, 'Expected `maxRecords`');
      }
    });

    it('refuses a clock that is none', () => {
      for (const clock of [null, Date, { now: () => 0 }]) {
        expect(() => new MemoryStore({ clock: clock as never })).to.throw(
          TypeError,
          'Expected `clock` to be a clock with `now` and `setTimer`',
        );
      }
    });
  });

  describe('claim', () => {
    // F38
    it('keeps expiresAtMs in whole seconds, rounded up', async () => {
      const store = new MemoryStore();

      const made = await claim(store, 'a', { nowMs: START_MS + 1, ttlMs: 120_000 });
      await store.complete(made, completion({ nowMs: START_MS + 2000, ttlMs: 500 }));

      expect(made.expiresAtMs).to.equal(START_MS + 121_000);
      expect((await store.get('a'))?.expiresAtMs).to.equal(START_MS + 3000);
    });

    it('removes expired outcomes of other ids, at most four a claim', async () => {
      const store = new MemoryStore();
      for (let n = 0; n < 100; n++) await complete(store, `old-${String(n)}`);
      const nowMs = START_MS + 2 * HOUR_MS;

      for (let n = 0; n < 40; n++) {
        const before = store.size;
        await claim(store, `new-${String(n)}`, { nowMs });
        expect(store.size).to.be.at.least(before + 1 - 4);
      }

      expect(idsIn(store)).to.have.members(
        Array.from({ length: 40 }, (_, n) => `new-${String(n)}`),
      );
    });

    it('finds expired outcomes behind any number of records that are kept', async () => {
      const store = new MemoryStore();
      for (let n = 0; n < 20; n++) await complete(store, `kept-${String(n)}`, { ttlMs: DAY_MS });
      for (let n = 0; n < 20; n++) await complete(store, `old-${String(n)}`);
      const nowMs = START_MS + 2 * HOUR_MS;

      for (let n = 0; n < 30; n++) await claim(store, `new-${String(n)}`, { nowMs });

      expect(idsIn(store).filter((id) => id.startsWith('old-'))).to.deep.equal([]);
      expect(store.size).to.equal(50);
    });

    it('stays bounded when every record expires sooner or later', async () => {
      const store = new MemoryStore();
      let largest = 0;
      for (let n = 0; n < 5000; n++) {
        const nowMs = START_MS + n * 1000;
        const made = await claim(store, `id-${String(n)}`, { nowMs });
        await store.complete(made, completion({ nowMs, ttlMs: 100_000 }));
        largest = Math.max(largest, store.size);
      }

      // About 100 are live at any moment; a pass over all takes a third as many claims as it meets.
      expect(largest).to.be.below(200);
    });

    it('keeps an abandoned claim for a day after its expiry, since it may yet be completed', async () => {
      const store = new MemoryStore();
      const abandoned = await claim(store, 'abandoned');
      const expiresAtMs = abandoned.expiresAtMs ?? NaN;

      for (const id of ['b', 'c']) await claim(store, id, { nowMs: expiresAtMs + DAY_MS });
      expect(await store.get('abandoned')).to.include({ claimToken: abandoned.token });

      for (const id of ['d', 'e']) await claim(store, id, { nowMs: expiresAtMs + DAY_MS + 1 });
      expect(await store.get('abandoned')).to.equal(undefined);
    });

    it("never removes a claim under onExpiredClaim: 'reject'", async () => {
      const store = new MemoryStore({ maxRecords: 1 });
      await claim(store, 'kept', { onExpiredClaim: 'reject' });

      for (let n = 0; n < 10; n++) {
        await claim(store, `n-${String(n)}`, { nowMs: START_MS + 1000 * DAY_MS });
      }

      expect(idsIn(store)).to.include('kept');
    });
  });

  describe('claim with maxRecords', () => {
    it('evicts the outcome that was completed longest ago', async () => {
      const store = new MemoryStore({ maxRecords: 3 });
      const slow = await claim(store, 'slow');
      await complete(store, 'a');
      await complete(store, 'b', { status: 'FAILED' });
      await store.complete(slow, completion());

      await claim(store, 'c');
      expect(idsIn(store)).to.have.members(['slow', 'b', 'c']);

      await claim(store, 'd');
      expect(idsIn(store)).to.have.members(['slow', 'c', 'd']);
    });

    it('evicts expired records first', async () => {
      const store = new MemoryStore({ maxRecords: 3 });
      await complete(store, 'kept', { ttlMs: DAY_MS });
      await complete(store, 'expired', { ttlMs: 1000 });
      await claim(store, 'abandoned', { ttlMs: 1000, inProgressUntilMs: START_MS + 1000 });

      await claim(store, 'new', { nowMs: START_MS + MINUTE_MS });

      expect(idsIn(store)).to.have.members(['kept', 'abandoned', 'new']);

      await claim(store, 'newer', { nowMs: START_MS + MINUTE_MS });

      expect(idsIn(store)).to.have.members(['kept', 'new', 'newer']);
    });

    it('grows while everything in it is running, and shrinks again afterwards', async () => {
      const store = new MemoryStore({ maxRecords: 2 });
      const running = await Promise.all(
        Array.from({ length: 5 }, (_, n) => claim(store, `running-${String(n)}`)),
      );
      expect(store.size).to.equal(5);

      for (const made of running) await store.complete(made, completion());
      await claim(store, 'next');

      expect(idsIn(store)).to.deep.equal(['running-4', 'next']);
    });

    it('does not take a running claim for the outcome that it replaced', async () => {
      const store = new MemoryStore({ maxRecords: 2 });
      await complete(store, 'a', { ttlMs: 1000 });
      await claim(store, 'a', { nowMs: START_MS + MINUTE_MS });

      await claim(store, 'b', { nowMs: START_MS + MINUTE_MS });
      await claim(store, 'c', { nowMs: START_MS + MINUTE_MS });

      expect(idsIn(store)).to.have.members(['a', 'b', 'c']);
    });

    it('evicts nothing when a claim is refused', async () => {
      const store = new MemoryStore({ maxRecords: 2 });
      await complete(store, 'a');
      await complete(store, 'b');

      expect((await store.claim(request('a'))).claimed).to.equal(false);

      expect(idsIn(store)).to.deep.equal(['a', 'b']);
    });

    it('loses no running claim and keeps to its size whatever happens', async () => {
      const step = fc.record({
        kind: fc.constantFrom('claim', 'complete', 'release', 'forget', 'pass'),
        which: fc.nat({ max: 7 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 4 }),
          fc.array(step, { maxLength: 80, size: 'max' }),
          async (maxRecords, steps) => {
            const store = new MemoryStore({ maxRecords });
            const running = new Map<string, Claim>();
            let nowMs = START_MS;
            for (const { kind, which } of steps) {
              const id = `id-${String(which)}`;
              const owned = running.get(id);
              if (kind === 'pass') nowMs += which * 10_000;
              if (kind === 'forget') await store.forget(id, { nowMs });
              if (owned !== undefined && kind === 'complete') {
                await store.complete(owned, completion({ nowMs, ttlMs: MINUTE_MS }));
                running.delete(id);
              }
              if (owned !== undefined && kind === 'release') {
                await store.release(owned);
                running.delete(id);
              }
              for (const [lapsedId, { inProgressUntilMs }] of running) {
                if (inProgressUntilMs < nowMs) running.delete(lapsedId);
              }
              if (kind === 'claim') {
                const outcome = await store.claim(request(id, { nowMs, ttlMs: MINUTE_MS }));
                if (outcome.claimed) running.set(id, outcome.claim);
                const settled = [...store.records()].filter(
                  ({ status }) => status !== 'INPROGRESS',
                );
                if (outcome.claimed && settled.length > 0) {
                  expect(store.size).to.be.at.most(maxRecords);
                }
              }
              expect(idsIn(store)).to.include.members([...running.keys()]);
            }
          },
        ),
      );
    });
  });

  describe('forget', () => {
    it('judges by its clock', async () => {
      const clock = manualClock(START_MS);
      const store = new MemoryStore({ clock, clockSkew: 2 });
      await claim(store, 'a');

      await clock.advance(MINUTE_MS + 2000);
      expect(await store.forget('a')).to.equal(false);

      await clock.advance(1);
      expect(await store.forget('a')).to.equal(true);
    });
  });

  describe('records', () => {
    it('iterates over copies', async () => {
      const store = new MemoryStore();
      await complete(store, 'a', { result: Uint8Array.of(1, 2, 3) });

      const [record] = store.records();
      (record as { status: string }).status = 'INPROGRESS';
      (record?.result as Uint8Array).fill(9);

      const kept = await store.get('a');
      expect(kept?.status).to.equal('COMPLETED');
      expect(kept?.result).to.deep.equal(Uint8Array.of(1, 2, 3));
    });

    it('keeps what a refused claim was given apart from what it keeps', async () => {
      const store = new MemoryStore();
      const error = { name: 'CardError', message: 'declined' };
      await complete(store, 'a', { status: 'FAILED', error });
      error.message = 'changed by the giver';
      const refused = await store.claim(request('a'));
      if (!refused.claimed) Object.assign(refused.record?.error ?? {}, { message: 'by the taker' });

      expect((await store.get('a'))?.error?.message).to.equal('declined');
    });
  });

  describe('seed', () => {
    it('puts a copy of the record in place and derives its takeoverAtMs', async () => {
      const store = new MemoryStore({ clockSkew: 1 });
      const result = Uint8Array.of(1, 2, 3);
      const expiresAtMs = START_MS + 1;

      store.seed({ id: 'a', status: 'COMPLETED', expiresAtMs, takeoverAtMs: 5, result });
      result.fill(9);

      expect(await store.get('a')).to.deep.equal({
        id: 'a',
        status: 'COMPLETED',
        expiresAtMs: START_MS + 1000,
        takeoverAtMs: START_MS + 2000,
        result: Uint8Array.of(1, 2, 3),
      });
    });
  });

  describe('clear', () => {
    it('removes every record, so that owners end with a lost claim', async () => {
      const store = new MemoryStore({ maxRecords: 1 });
      const running = await claim(store, 'a');
      await complete(store, 'b');

      store.clear();

      expect(store.size).to.equal(0);
      const error = await expectRejection(store.complete(running, completion()));
      expect(error).to.include({ code: 'ERR_IDEMPOTENCY_CLAIM_LOST', id: 'a' });
      await complete(store, 'c');
      await complete(store, 'd');
      expect(idsIn(store)).to.deep.equal(['d']);
    });
  });
});
