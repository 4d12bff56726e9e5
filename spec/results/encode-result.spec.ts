import { expect } from 'chai';
import { encodeResult } from '../../lib/results/encode-result.js';
import { jsonCodec } from '../../lib/results/json-codec.js';
import type { ResultCodec } from '../../lib/results/result-codec.js';
import { markedCodec, slowCodec } from './support.js';

const NOT_ENCODABLE = { resultOmitted: 'not-encodable' };

describe('encodeResult', () => {
  for (const value of [null, 0, false, '', [], {}, 'text', { nested: [1, null] }]) {
    it(`keeps ${JSON.stringify(value)} as JSON without naming an encoding`, async () => {
      expect(await encodeResult(value, jsonCodec)).to.deep.equal({ result: JSON.stringify(value) });
    });
  }

  it('keeps no result for undefined, and does not ask the codec', async () => {
    const codec: ResultCodec = {
      ...markedCodec,
      encode: () => {
        throw new Error('asked');
      },
    };

    expect(await encodeResult(undefined, codec)).to.deep.equal({});
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], []);
  const notEncodable: Readonly<Record<string, unknown>> = {
    'a BigInt': 10n,
    'a BigInt inside': { amount: 10n },
    'a cycle': cycle,
    'a function': () => 1,
    'a symbol': Symbol('s'),
    'a toJSON that throws': {
      toJSON: () => {
        throw new Error('no');
      },
    },
    'a toJSON that gives nothing': { toJSON: () => undefined },
    'a getter that throws': {
      get name(): string {
        throw new Error('no');
      },
    },
    'what is nested too deep': deep,
  };
  for (const [what, value] of Object.entries(notEncodable)) {
    // F18, F48
    it(`omits ${what} and never rejects`, async () => {
      expect(await encodeResult(value, jsonCodec)).to.deep.equal(NOT_ENCODABLE);
    });
  }

  it('names the codec that the method names', async () => {
    expect(await encodeResult({ a: 1 }, markedCodec)).to.deep.equal({
      result: '!{"a":1}',
      encoding: 'marked',
    });
  });

  it('has text at once', () => {
    expect(encodeResult(1, jsonCodec)).to.deep.equal({ result: '1' });
  });

  it('awaits a codec, and takes bytes', async () => {
    expect(await encodeResult({ a: 1 }, slowCodec)).to.deep.equal({
      result: Buffer.from('!{"a":1}'),
      encoding: 'slow.v1',
    });
  });

  it('keeps no result where the codec gives undefined', async () => {
    const discard: ResultCodec = { ...markedCodec, encode: () => undefined };

    expect(await encodeResult({ a: 1 }, discard)).to.deep.equal({});
  });

  const garbage: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error('KMS');
    },
    'rejects with undefined': () => Promise.reject(undefined),
    'returns an object': () => ({}),
    'returns null': () => null,
    'returns a number': () => 5,
    'returns characters of 16 bits': () => new Uint16Array(2),
    'returns a promise of an object': () => Promise.resolve({}),
  };
  for (const [what, encode] of Object.entries(garbage)) {
    it(`omits the result of a codec that ${what}`, async () => {
      const codec = { ...markedCodec, encode } as ResultCodec;

      expect(await encodeResult('x', codec)).to.deep.equal(NOT_ENCODABLE);
    });
  }
});
