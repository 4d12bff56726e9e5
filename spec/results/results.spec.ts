import { expect } from 'chai';
import {
  IdempotencyRecordError,
  IdempotencyResultUnavailableError,
} from '../../lib/errors/index.js';
import type { ResultCodec } from '../../lib/results/result-codec.js';
import { warningsDuring } from '../decorator/support.js';
import { Harness } from '../execution/harness.js';
import { expectRejection } from '../support/expect-rejection.js';
import { markedCodec, slowCodec } from './support.js';

describe('results', () => {
  let harness: Harness;
  let runs: number;

  beforeEach(() => {
    harness = new Harness();
    runs = 0;
  });

  afterEach(() => {
    harness.dispose();
  });

  const call = <R>(result: R, codec?: ResultCodec<R>) =>
    harness.call<R>(
      () => {
        runs += 1;
        return result;
      },
      codec === undefined ? {} : { codec },
    );

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  for (const [what, result] of [
    ['a BigInt', { total: 10n }],
    ['a cycle', cycle],
    ['a function', () => 1],
  ] as const) {
    // F18, F48
    it(`that cannot be encoded are omitted, never run again: ${what}`, async () => {
      await warningsDuring(async () => {
        const first = await call<unknown>(result);
        expect(first).to.include({ status: 'executed', result });
      });
      const record = await harness.memory.get('o1');
      expect(record).to.include({ status: 'COMPLETED', resultOmitted: 'not-encodable' });

      for (let retry = 0; retry < 3; retry++) {
        const error = await expectRejection(
          call<unknown>(result),
          IdempotencyResultUnavailableError,
        );
        expect(error).to.include({ why: 'not-encodable', method: 'runIdempotent', id: 'o1' });
        expect(error.completedAt?.getTime()).to.equal(harness.clock.now());
      }
      expect(runs).to.equal(1);
      expect(harness.store.count('release')).to.equal(0);
    });
  }

  for (const codec of [markedCodec, slowCodec]) {
    it(`are kept and replayed by the codec ${codec.name}`, async () => {
      await call<unknown>({ a: 1 }, codec);
      expect((await harness.memory.get('o1'))?.encoding).to.equal(codec.name);

      expect(await call<unknown>({}, codec)).to.deep.include({
        status: 'replayed',
        result: { a: 1 },
      });
      expect(runs).to.equal(1);
    });
  }

  it('that a codec fails to encode are omitted, and the first caller gets its own', async () => {
    const codec = { ...markedCodec, encode: () => Promise.reject(new Error('KMS')) };
    await warningsDuring(async () => {
      expect(await call<unknown>('live', codec)).to.deep.equal({
        status: 'executed',
        result: 'live',
      });
    });

    await expectRejection(call<unknown>('again', codec), IdempotencyResultUnavailableError);
    expect(runs).to.equal(1);
  });

  it('recorded under another codec than today’s are a record error, and stay as they are', async () => {
    await call<unknown>({ a: 1 }, markedCodec);
    const before = await harness.memory.get('o1');

    await expectRejection(call<unknown>({ a: 2 }, slowCodec), IdempotencyRecordError);
    await expectRejection(call<unknown>({ a: 2 }), IdempotencyRecordError);

    expect(await harness.memory.get('o1')).to.deep.equal(before);
    expect(runs).to.equal(1);
  });

  it('recorded as plain JSON are replayed although the method names a codec by now', async () => {
    await call<unknown>({ a: 1 });

    expect(await call<unknown>({ a: 2 }, markedCodec)).to.deep.include({
      status: 'replayed',
      result: { a: 1 },
    });
  });

  it('are read anew at each replay: changing one changes no other', async () => {
    await call({ list: [1] });
    const replayed = (await call({ list: [1] })) as { result: { list: number[] } };
    replayed.result.list.push(2);

    expect(await call({ list: [1] })).to.deep.include({ result: { list: [1] } });
  });

  it('are kept as they were when the method returned', async () => {
    const live = { list: [1] };
    await call(live);
    live.list.push(2);

    expect(await call(live)).to.deep.include({ status: 'replayed', result: { list: [1] } });
  });
});
