import assert from 'node:assert/strict';
import type { Claim } from '../../store/idempotency-store.js';
import {
  DAY_MS,
  freshId,
  freshToken,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type ContractGroup,
} from './bench.js';

const METHODS = ['claim', 'renew', 'complete', 'release', 'get', 'forget'] as const;

export function generalTests({ test, unavailableTest, unresponsiveTest }: ContractGroup): void {
  test('has the methods', async ({ store }) => {
    for (const method of METHODS) assert.equal(typeof store[method], 'function', method);
    await Promise.resolve();
  });

  test('returns promises', async (bench) => {
    const { store, id, nowMs } = bench;
    const claim: Claim = { id, token: freshToken(), inProgressUntilMs: nowMs, tookOver: false };

    const returned = await callAll({
      claim: () => store.claim(bench.request({ id: freshId() })),
      renew: () => store.renew(claim, nowMs + MINUTE_MS),
      complete: () => store.complete(claim, bench.completion()),
      release: () => store.release(claim),
      get: () => store.get(id),
      forget: () => store.forget(id),
    });

    for (const [method, { value }] of returned) {
      assert.ok(value instanceof Promise, `${method} returned no promise`);
    }
  });

  test('never throws synchronously, not even when it is called wrongly', async ({ store }) => {
    const nothing = undefined as never;

    const returned = await callAll({
      claim: () => store.claim(nothing),
      renew: () => store.renew(nothing, NaN),
      complete: () => store.complete(nothing, nothing),
      release: () => store.release(nothing),
      get: () => store.get(''),
      forget: () => store.forget(''),
    });

    for (const [method, { thrown }] of returned) {
      assert.equal(thrown, undefined, `${method} threw synchronously`);
    }
  });

  unavailableTest('rejects when it cannot reach its back end', async (bench) => {
    const { store, id, nowMs } = bench;
    const claim: Claim = { id, token: freshToken(), inProgressUntilMs: nowMs, tookOver: false };
    await assert.rejects(store.claim(bench.request()), 'claim');
    await assert.rejects(store.renew(claim, nowMs + MINUTE_MS), 'renew');
    await assert.rejects(store.complete(claim, bench.completion()), 'complete');
    await assert.rejects(store.release(claim), 'release');
    await assert.rejects(store.get(id), 'get');
    await assert.rejects(store.forget(id), 'forget');
  });

  unresponsiveTest('rejects when the time that the caller has is over', async (bench) => {
    const { store, id, nowMs } = bench;
    const claim: Claim = { id, token: freshToken(), inProgressUntilMs: nowMs, tookOver: false };
    const limits = { timeoutMs: 25 };
    await Promise.all([
      assert.rejects(store.claim(bench.request(), limits), 'claim'),
      assert.rejects(store.renew(claim, nowMs + MINUTE_MS, limits), 'renew'),
      assert.rejects(store.complete(claim, bench.completion(), limits), 'complete'),
      assert.rejects(store.release(claim, limits), 'release'),
      assert.rejects(store.get(id, limits), 'get'),
    ]);
  });

  test('serves methods with different options at once', async (bench) => {
    const { store, nowMs, skewMs } = bench;
    const [short, long, kept] = [freshId(), freshId(), freshId()];
    const [shortClaim, longClaim, keptClaim] = await Promise.all([
      bench.claim({ id: short, ttlMs: 2 * SECOND_MS }),
      bench.claim({ id: long, ttlMs: DAY_MS, inProgressUntilMs: nowMs + HOUR_MS }),
      bench.claim({ id: kept, onExpiredClaim: 'reject' }),
    ]);
    await Promise.all([
      store.complete(shortClaim, bench.completion({ nowMs, ttlMs: 2 * SECOND_MS })),
      store.complete(longClaim, bench.completion({ nowMs, ttlMs: DAY_MS })),
    ]);

    bench.expectExpiry((await bench.record(short)).expiresAtMs, nowMs + 2 * SECOND_MS);
    bench.expectExpiry((await bench.record(long)).expiresAtMs, nowMs + DAY_MS);
    assert.equal(keptClaim.expiresAtMs, undefined);
    const laterMs = nowMs + MINUTE_MS + skewMs;
    await bench.claim({ id: short, nowMs: laterMs });
    assert.equal((await bench.refusedBy({ id: long, nowMs: laterMs })).status, 'COMPLETED');
  });

  test('keeps ids of any shape apart', async (bench) => {
    const prefix = freshId();
    const ids = [
      prefix,
      ...['#', '##', '#a', '#A', '#a ', '# a', '#a#b', '#a%23b', '#a/b', '#a:b', '#a.b', '#a*'],
      ...['#é', '#e\u0301', '#日本語', '#🧾', '#👩‍👩‍👧', '#\u0000', '#\t\n', '#\ufeff', '#"\'`\\'],
      ...['#__proto__', '#constructor', '#null', '#undefined', '#{"id":1}', '#0', '#00'],
      '#'.padEnd(1024 - prefix.length, 'x'),
      '#'.padEnd(1024 - prefix.length, 'x').replace(/x$/, 'y'),
    ].map((suffix) => (suffix === prefix ? prefix : prefix + suffix));

    for (const id of ids) {
      const claim = await bench.claim({ id });
      assert.equal(claim.id, id);
      await bench.store.complete(claim, bench.completion({ result: JSON.stringify(id) }));
    }

    for (const id of ids) {
      const record = await bench.refusedBy({ id });
      assert.equal(record.id, id);
      assert.equal(record.result, JSON.stringify(id));
    }
  });
}

interface Returned {
  readonly value?: unknown;
  readonly thrown?: unknown;
}

/** Makes the calls and waits until all are settled, whatever becomes of each. */
async function callAll(
  calls: Readonly<Record<string, () => unknown>>,
): Promise<ReadonlyMap<string, Returned>> {
  const returned = new Map<string, Returned>();
  for (const [method, call] of Object.entries(calls)) {
    try {
      returned.set(method, { value: call() });
    } catch (thrown) {
      returned.set(method, { thrown });
    }
  }
  await Promise.allSettled([...returned.values()].map(({ value }) => value));
  return returned;
}
