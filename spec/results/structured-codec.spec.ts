import { spawnSync } from 'node:child_process';
import { deepStrictEqual } from 'node:assert';
import { join } from 'node:path';
import { expect } from 'chai';
import { IdempotencyRecordError } from '../../lib/errors/index.js';
import { structuredCodec } from '../../lib/results/structured-codec.js';
import { warningsDuring } from '../decorator/support.js';
import { Harness } from '../execution/harness.js';
import { expectRejection } from '../support/expect-rejection.js';
import { forgetComparedReplays } from './support.js';

class Money {
  constructor(readonly amount: number) {}
  plus(other: Money): Money {
    return new Money(this.amount + other.amount);
  }
}

describe('structuredCodec', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
    forgetComparedReplays();
  });

  afterEach(() => {
    harness.dispose();
    forgetComparedReplays();
  });

  const call = (result: unknown, codec = structuredCodec) =>
    harness.call<unknown>(() => result, { codec });
  const replayOf = async (result: unknown): Promise<unknown> => {
    await call(result);
    const outcome = await call('not run');
    if (outcome.status !== 'replayed') throw new Error(`Expected a replay, got ${outcome.status}`);
    return outcome.result;
  };

  // F48
  it('replays what JSON cannot carry deep-equal, types included', async () => {
    const result: Record<string, unknown> = {
      at: new Date(86_400_000),
      big: 10n,
      buf: Buffer.from('bytes'),
      floats: Float64Array.of(1.5, -0),
      m: new Map<unknown, unknown>([['a', new Set([1, new Map()])]]),
      nothing: [undefined, null, NaN, -0, Infinity],
      sparse: new Array<unknown>(3),
      error: new RangeError('too far'),
      pattern: /a+/giu,
    };
    result['self'] = result;

    const warnings = await warningsDuring(async () => {
      const replayed = (await replayOf(result)) as typeof result;
      deepStrictEqual(replayed, result);
      expect(Buffer.isBuffer(replayed['buf'])).to.equal(true);
      expect(replayed['self']).to.equal(replayed);
    });

    expect(warnings).to.deep.equal([]);
    expect(await harness.memory.get('o1')).to.include({ encoding: 'structured' });
  });

  for (const result of [null, 0, '', false, undefined, 5n]) {
    it(`replays ${String(result)} as itself`, async () => {
      expect(await replayOf(result)).to.equal(result);
    });
  }

  // F48
  it('keeps neither URLs nor classes: a replay has their own members, and a warning says so', async () => {
    const warnings = await warningsDuring(async () => {
      expect(await replayOf({ url: new URL('https://a.example'), total: new Money(5) })) //
        .to.deep.equal({ url: {}, total: { amount: 5 } });
    });

    expect(warnings.map(({ code }) => code)).to.deep.equal(['MAYFLY_REPLAY_DIFFERS']);
    expect(warnings[0]?.message).to.include('result.url is an URL and becomes a plain object');
  });

  for (const [what, result] of [
    ['a function', { call: () => 1 }],
    ['a symbol', [Symbol('s')]],
    ['a promise', { later: Promise.resolve(1) }],
  ] as const) {
    it(`records a call without its result where that holds ${what}`, async () => {
      await warningsDuring(() => call(result));

      expect(await expectRejection(call(result))).to.include({
        code: 'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE',
        why: 'not-encodable',
      });
    });
  }

  // F52
  it('hands out copies: what a caller does to a replayed buffer changes no other replay', async () => {
    const kept = (await structuredCodec.encode({ bytes: Buffer.from('abc') })) as Uint8Array;
    const replayed = (await structuredCodec.decode(kept)) as { bytes: Buffer };
    replayed.bytes.fill(0);

    expect(await structuredCodec.decode(kept)).to.deep.equal({ bytes: Buffer.from('abc') });
  });

  it('replays plain JSON that was recorded before the method named it', async () => {
    await harness.call<unknown>(() => ({ a: 1 }));

    expect(await call('not run')).to.deep.include({ status: 'replayed', result: { a: 1 } });
  });

  it('is chosen by the method, never by the record', async () => {
    await call({ a: 1 });

    await expectRejection(
      harness.call<unknown>(() => 'not run'),
      IdempotencyRecordError,
    );
  });

  for (const [what, kept] of [
    ['text', 'text'],
    ['other bytes', Uint8Array.of(1, 2, 3)],
    ['no bytes', new Uint8Array(0)],
  ] as const) {
    it(`refuses a record that holds ${what} in its name`, async () => {
      await call({ a: 1 });
      const record = (await harness.memory.get('o1'))!;
      harness.memory.seed({ ...record, result: kept });

      await expectRejection(call('not run'), IdempotencyRecordError);
    });
  }

  it('loads node:v8 when it is first used', () => {
    const program = `
      const v8 = () => process.moduleLoadList.some((name) => name.endsWith(' v8'));
      const { structuredCodec } = require(${JSON.stringify(join(__dirname, '../../lib/results/structured-codec.ts'))});
      const before = v8();
      structuredCodec.encode(1);
      process.stdout.write(JSON.stringify([before, v8()]));
    `;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['-r', 'ts-node/register/transpile-only', '-e', program],
      { encoding: 'utf8', cwd: join(__dirname, '../..') },
    );

    expect(stdout, stderr).to.equal('[false,true]');
  });
});
