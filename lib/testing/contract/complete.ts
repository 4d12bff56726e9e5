import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Completion, RecordedError } from '../../store/idempotency-store.js';
import {
  DAY_MS,
  expectLost,
  freshToken,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type ContractGroup,
} from './bench.js';

const TEXTS: readonly string[] = [
  '',
  ' ',
  '0',
  'null',
  '""',
  '{"a":[1,2.50,{"b":null}]}',
  'a\u0000b',
  '\ufeffbyte order mark',
  'line\u2028and\u2029paragraph\r\n',
  '👩‍👩‍👧 🧾 日本語',
  'e\u0301 is not \u00e9',
  '\uffff\ufffe\ufffd',
  '\\u0000 $ref #id :now',
];

const BYTES: readonly Uint8Array[] = [
  new Uint8Array(0),
  Uint8Array.of(0),
  Uint8Array.from({ length: 256 }, (_, index) => index),
  Uint8Array.from({ length: 256 }, (_, index) => index).subarray(16, 32),
  Buffer.from('not UTF-8: \xff\xfe', 'latin1'),
];

const ERRORS: readonly RecordedError[] = [
  { name: 'Error', message: '' },
  { name: 'CardError', message: 'declined 🧾\n', code: 'E_CARD', statusCode: 402 },
  { name: 'SystemError', message: 'errno', code: -104 },
];

export function completeTests({ test }: ContractGroup): void {
  test('replaces the claim with its outcome', async (bench) => {
    const claim = await bench.claim({ fingerprint: 'f'.repeat(64) });
    const nowMs = bench.nowMs + 1234;

    await bench.store.complete(claim, bench.completion({ nowMs, result: '{"n":1}' }));

    // `inProgressUntilMs` means nothing any more: a store may keep it or not.
    const { inProgressUntilMs, takeoverAtMs, expiresAtMs = NaN, ...record } = await bench.record();
    assert.deepEqual(record, {
      id: bench.id,
      status: 'COMPLETED',
      result: '{"n":1}',
      completedAtMs: nowMs,
      claimToken: claim.token,
      fingerprint: 'f'.repeat(64),
    });
    bench.expectExpiry(expiresAtMs, nowMs + HOUR_MS);
    assert.equal(takeoverAtMs, expiresAtMs + bench.skewMs);
  });

  test('counts the ttl from completion, also where the claim expired later', async (bench) => {
    const claim = await bench.claim({ ttlMs: DAY_MS });
    const nowMs = bench.nowMs + SECOND_MS;

    await bench.store.complete(claim, bench.completion({ nowMs, ttlMs: 2 * SECOND_MS }));

    bench.expectExpiry((await bench.record()).expiresAtMs, nowMs + 2 * SECOND_MS);
  });

  test('keeps text byte for byte', async (bench) => {
    for (const [index, result] of TEXTS.entries()) {
      const id = `${bench.id}-${String(index)}`;

      await bench.store.complete(await bench.claim({ id }), bench.completion({ result }));

      assert.equal((await bench.record(id)).result, result);
      assert.equal((await bench.refusedBy({ id })).result, result);
    }
  });

  test('keeps bytes as bytes', async (bench) => {
    for (const [index, result] of BYTES.entries()) {
      const id = `${bench.id}-${String(index)}`;

      await bench.store.complete(await bench.claim({ id }), bench.completion({ result }));

      for (const record of [await bench.record(id), await bench.refusedBy({ id })]) {
        assert.ok(record.result instanceof Uint8Array, 'The result came back as no Uint8Array');
        assert.equal(Buffer.compare(record.result, result), 0, 'The bytes differ');
      }
    }
  });

  test('keeps what bytes were when they were given', async (bench) => {
    const result = Uint8Array.of(1, 2, 3);
    await bench.claimAndComplete({ result });

    result.fill(9);
    const read = (await bench.record()).result;
    assert.ok(read instanceof Uint8Array);
    assert.deepEqual([...read], [1, 2, 3]);

    read.fill(9);
    assert.deepEqual([...((await bench.record()).result as Uint8Array)], [1, 2, 3]);
  });

  test('keeps the name of the encoding', async (bench) => {
    await bench.claimAndComplete({ encoding: 'structured.v1-x_y' });

    assert.equal((await bench.record()).encoding, 'structured.v1-x_y');
  });

  test('keeps the absence of a result', async (bench) => {
    const { result, ...completion } = bench.completion();

    await bench.store.complete(await bench.claim(), completion);

    const record = await bench.record();
    assert.equal(record.status, 'COMPLETED');
    for (const absent of ['result', 'encoding', 'error', 'resultOmitted']) {
      assert.equal(absent in record, false, absent);
    }
  });

  test('keeps why a result is omitted', async (bench) => {
    for (const resultOmitted of ['too-large', 'not-encodable'] as const) {
      const id = `${bench.id}-${resultOmitted}`;
      const { result, ...completion } = bench.completion({ resultOmitted });

      await bench.store.complete(await bench.claim({ id }), completion);

      const record = await bench.record(id);
      assert.equal(record.status, 'COMPLETED');
      assert.equal(record.resultOmitted, resultOmitted);
      assert.equal(record.result, undefined);
    }
  });

  test('keeps a recorded error', async (bench) => {
    for (const [index, error] of ERRORS.entries()) {
      const id = `${bench.id}-${String(index)}`;
      const { result, ...completion } = bench.completion({ status: 'FAILED', error });

      await bench.store.complete(await bench.claim({ id }), completion);

      const record = await bench.refusedBy({ id });
      assert.equal(record.status, 'FAILED');
      assert.deepEqual(record.error, error);
      assert.equal(record.result, undefined);
    }
  });

  test('completes with any size of result, whole or omitted as too large', async (bench) => {
    const results: readonly Exclude<Completion['result'], undefined>[] = [
      'a'.repeat(600_000),
      '€'.repeat(300_000),
      randomBytes(500_000).toString('base64'),
      new Uint8Array(randomBytes(500_000)),
    ];
    for (const [index, result] of results.entries()) {
      const id = `${bench.id}-${String(index)}`;

      await bench.store.complete(await bench.claim({ id }), bench.completion({ result }));

      const record = await bench.record(id);
      assert.equal(record.status, 'COMPLETED');
      if (record.resultOmitted === undefined) {
        assert.ok(isSame(record.result, result), 'The result differs');
      } else {
        assert.equal(record.resultOmitted, 'too-large');
        assert.equal(record.result, undefined);
      }
      bench.expectExpiry(record.expiresAtMs, bench.completion().nowMs + HOUR_MS);
    }
  });

  test('changes nothing when it is repeated', async (bench) => {
    const claim = await bench.claim();
    const completion = bench.completion();
    await bench.store.complete(claim, completion);

    await bench.expectUnchanged(() => bench.store.complete(claim, completion));
  });

  test('completes a claim that has been renewed', async (bench) => {
    const claim = await bench.claim();
    await bench.store.renew(claim, bench.nowMs + HOUR_MS);

    await bench.store.complete(claim, bench.completion());

    assert.equal((await bench.record()).status, 'COMPLETED');
  });

  test('completes a claim that has lapsed and that nobody took over', async (bench) => {
    const claim = await bench.claim({ ttlMs: SECOND_MS });
    const nowMs = (claim.expiresAtMs ?? NaN) + bench.skewMs + MINUTE_MS;

    await bench.store.complete(claim, bench.completion({ nowMs }));

    assert.equal((await bench.refusedBy({ nowMs })).status, 'COMPLETED');
  });

  test('rejects as lost when the record carries another token', async (bench) => {
    const claim = await bench.claim();

    await bench.expectUnchanged(() =>
      expectLost(bench.store.complete({ ...claim, token: freshToken() }, bench.completion())),
    );
  });

  test('rejects as lost when another claim took over', async (bench) => {
    const claim = await bench.claim();
    const nowMs = (await bench.takeoverAtMs()) + 1;
    const successor = await bench.claim({ nowMs });

    await bench.expectUnchanged(() =>
      expectLost(bench.store.complete(claim, bench.completion({ nowMs }))),
    );
    await bench.store.complete(successor, bench.completion({ nowMs, result: '"second"' }));
    await bench.expectUnchanged(() =>
      expectLost(bench.store.complete(claim, bench.completion({ nowMs }))),
    );
  });

  test('rejects as lost when the record is gone, and makes none', async (bench) => {
    const claim = await bench.claim();
    await bench.store.release(claim);

    await expectLost(bench.store.complete(claim, bench.completion()));

    assert.equal(await bench.store.get(bench.id), undefined);
  });
}

function isSame(left: Completion['result'], right: Completion['result']): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right;
  return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0;
}
