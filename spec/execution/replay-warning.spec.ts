import { expect } from 'chai';
import { encodeResult } from '../../lib/results/encode-result.js';
import { jsonCodec } from '../../lib/results/json-codec.js';
import { warnWhereReplayDiffers } from '../../lib/execution/replay-warning.js';
import type { ResultCodec } from '../../lib/results/result-codec.js';
import { warningsDuring } from '../decorator/support.js';
import { Harness } from './harness.js';
import { forgetComparedReplays } from '../results/support.js';

class Money {
  constructor(readonly amount: number) {}
}

/** What the first recorded result of a method leads to. */
async function warningFor(
  result: unknown,
  codec: ResultCodec = jsonCodec,
): Promise<string | undefined> {
  forgetComparedReplays();
  const warnings = await warningsDuring(async () => {
    await warnWhereReplayDiffers(result, await encodeResult(result, codec), codec, 'Orders.place');
  });
  expect(warnings.length).to.be.at.most(1);
  if (warnings[0] !== undefined) expect(warnings[0].code).to.equal('MAYFLY_REPLAY_DIFFERS');
  return warnings[0]?.message;
}

const differs = (where: string): string =>
  `A replay of Orders.place will differ from its first result: ${where}. Return plain JSON data, or name a codec that keeps it`;

describe('warnWhereReplayDiffers', () => {
  afterEach(() => {
    forgetComparedReplays();
  });

  const shared = { amount: 1 };
  const plain: Readonly<Record<string, unknown>> = {
    undefined: undefined,
    null: null,
    'numbers, 0 and -0': [0, -0, 1.5],
    'text and booleans': ['', 'a', true, false],
    'nested plain data': { a: [{ b: { c: null } }] },
    'a member that is undefined': { a: 1, b: undefined },
    'an object without a prototype': Object.assign(Object.create(null) as object, { a: 1 }),
    'the same object twice': [shared, shared],
    'a symbol member': { [Symbol('s')]: 1, a: 1 },
  };
  for (const [what, value] of Object.entries(plain)) {
    // F48
    it(`says nothing of ${what}`, async () => {
      expect(await warningFor(value)).to.equal(undefined);
    });
  }

  const different: readonly (readonly [what: string, value: unknown, where: string])[] = [
    ['a Date', new Date(0), 'result is a Date and becomes a string'],
    [
      'a nested Date',
      { a: [{ at: new Date(0) }] },
      'result.a[0].at is a Date and becomes a string',
    ],
    ['a class', { total: new Money(5) }, 'result.total is a Money and becomes a plain object'],
    [
      'a class of ours',
      new (class Invoice {})(),
      'result is an Invoice and becomes a plain object',
    ],
    ['no name', new (class {})(), 'result is an object of a class and becomes a plain object'],
    ['a Map', { m: new Map([[1, 2]]) }, 'result.m is a Map and becomes a plain object'],
    ['a Set', new Set([1]), 'result is a Set and becomes a plain object'],
    ['a Buffer', { b: Buffer.from('x') }, 'result.b is a Buffer and becomes a plain object'],
    ['a URL', new URL('https://example.com'), 'result is an URL and becomes a string'],
    ['an Error', new RangeError('x'), 'result is a RangeError and becomes a plain object'],
    ['NaN', { n: NaN }, 'result.n is NaN and becomes null'],
    ['Infinity', [Infinity], 'result[0] is a number and becomes null'],
    ['undefined in an array', [1, undefined], 'result[1] is undefined and becomes null'],
    ['a method', { f: () => 1 }, 'result.f is a function and becomes undefined'],
    ['a symbol', { s: Symbol('s') }, 'result.s is a symbol and becomes undefined'],
  ];
  for (const [what, value, where] of different) {
    // F48
    it(`names the place of ${what}`, async () => {
      expect(await warningFor(value)).to.equal(differs(where));
    });
  }

  it('names the first of several places', async () => {
    expect(await warningFor({ ok: 1, a: new Date(0), b: new Map() })).to.include(
      'result.a is a Date',
    );
  });

  it('says what a replay throws where the result cannot be encoded', async () => {
    expect(await warningFor(10n)).to.equal(
      differs(
        'the json codec cannot encode it, so a replay throws IdempotencyResultUnavailableError',
      ),
    );
  });

  const codec = (members: Partial<ResultCodec>): ResultCodec => ({
    name: 'own',
    encode: () => 'x',
    decode: () => 'x',
    ...members,
  });

  it('says when a codec does not decode what it encoded', async () => {
    const where = differs('the own codec cannot decode what it encoded');
    const broken: ResultCodec['decode'][] = [
      () => {
        throw new Error('no');
      },
      () => Promise.reject(undefined),
    ];

    for (const decode of broken) expect(await warningFor('x', codec({ decode }))).to.equal(where);
  });

  it('compares with what the codec of the method gives, promises included', async () => {
    const at = new Date(0);
    expect(
      await warningFor(at, codec({ decode: async () => Promise.resolve(new Date(0)) })),
    ).to.equal(undefined);
    expect(await warningFor(at, codec({ decode: () => new Date(1) }))).to.equal(
      differs('result changes'),
    );
    expect(await warningFor(new Map([[1, 2]]), codec({ decode: () => new Map() }))).to.equal(
      differs('result changes'),
    );
  });

  it('says nothing where a codec keeps no result on purpose', async () => {
    expect(await warningFor({ at: new Date(0) }, codec({ encode: () => undefined }))).to.equal(
      undefined,
    );
  });

  it('warns once per method, and looks once per method', async () => {
    forgetComparedReplays();
    let decoded = 0;
    const counting = codec({
      decode: () => {
        decoded += 1;
        return 'another';
      },
    });
    const warnings = await warningsDuring(async () => {
      for (const method of ['A.a', 'A.a', 'B.b', 'A.a']) {
        await warnWhereReplayDiffers('x', { result: 'x' }, counting, method);
      }
    });

    expect(warnings.map(({ message }) => message.split(' will ')[0])).to.deep.equal([
      'A replay of A.a',
      'A replay of B.b',
    ]);
    expect(decoded).to.equal(2);
  });

  describe('never throws, and never takes long', () => {
    it('with a getter that throws the second time', async () => {
      let reads = 0;
      const moody = {
        get total(): number {
          reads += 1;
          if (reads > 1) throw new Error('no');
          return 1;
        },
      };

      expect(await warningFor(moody)).to.equal(undefined);
    });

    it('with a proxy that refuses to be looked at', async () => {
      const refuses = (): never => {
        throw new Error('no');
      };
      const proxy: unknown = new Proxy({}, { getPrototypeOf: refuses, ownKeys: refuses });

      expect(await warningFor(proxy, codec({ decode: () => ({}) }))).to.equal(undefined);
    });

    it('with a result that is nested thousands of levels deep', async () => {
      const deep = Array.from({ length: 3000 }).reduce<unknown>((inner) => [inner], new Date(0));

      await warningFor(deep);
    });

    it('with a cycle, and with objects that are reached on very many ways', async () => {
      const graph = (at: Date): object => {
        const cycle: Record<string, unknown> = {};
        cycle['self'] = cycle;
        let ways: object = {};
        for (let level = 0; level < 50; level++) ways = { left: ways, right: ways };
        return { cycle, ways, at };
      };
      const kept = (at: Date) => warningFor(graph(new Date(0)), codec({ decode: () => graph(at) }));

      expect(await kept(new Date(0))).to.equal(undefined);
      expect(await kept(new Date(1))).to.equal(differs('result.at changes'));
    });

    it('with bytes that a codec keeps', async () => {
      const kept = (bytes: Buffer) =>
        warningFor(Buffer.alloc(5_000_000), codec({ decode: () => bytes }));

      expect(await kept(Buffer.alloc(5_000_000))).to.equal(undefined);
      expect(await kept(Buffer.alloc(5_000_000, 1))).to.equal(differs('result changes'));
    });
  });

  // F48
  it('warns at the first recorded result of a call, never at a replay', async () => {
    forgetComparedReplays();
    const harness = new Harness();
    const options = { namespace: 'dated' };
    const first = await warningsDuring(() => harness.call(() => ({ at: new Date(0) }), options));
    const second = await warningsDuring(async () => {
      await harness.call(() => ({ at: new Date(0) }), options);
      await harness.call(() => ({ at: new Date(0) }), { ...options, key: 'other' });
    });
    harness.dispose();

    expect(first.map(({ message }) => message)).to.deep.equal([
      'A replay of runIdempotent(dated) will differ from its first result: result.at is a Date and becomes a string. Return plain JSON data, or name a codec that keeps it',
    ]);
    expect(second).to.deep.equal([]);
  });
});
