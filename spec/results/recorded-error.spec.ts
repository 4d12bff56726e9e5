import { inspect } from 'node:util';
import { expect } from 'chai';
import { isReplayedError, recordedError, replayedError } from '../../lib/results/recorded-error.js';
import { Harness } from '../execution/harness.js';
import { expectRejection } from '../support/expect-rejection.js';

const hostile = (): never => {
  throw new Error('not yours to read');
};

/** Errors of a kind that breaks whoever looks at them closely. */
const hostileErrors: Readonly<Record<string, () => unknown>> = {
  'getters that throw': () =>
    Object.defineProperties(new Error('mine'), {
      name: { get: hostile },
      message: { get: hostile },
      code: { get: hostile },
      statusCode: { get: hostile },
    }),
  'a proxy that refuses everything': () =>
    new Proxy(new Error('mine'), { get: hostile, getPrototypeOf: hostile, has: hostile }),
  'a revoked proxy': () => {
    const { proxy, revoke } = Proxy.revocable(new Error('mine'), {});
    revoke();
    return proxy;
  },
  'a proxy of a function': () =>
    new Proxy(() => undefined, { get: hostile, getPrototypeOf: hostile }),
};

describe('recordedError', () => {
  it('keeps name, message, code and status code, and nothing else', () => {
    const error = Object.assign(new TypeError('declined'), {
      code: 'E_DECLINED',
      statusCode: 402,
      card: '4111',
      cause: new Error('4111'),
    });

    expect(recordedError(error)).to.deep.equal({
      name: 'TypeError',
      message: 'declined',
      code: 'E_DECLINED',
      statusCode: 402,
    });
  });

  it('keeps a code that is a number', () => {
    expect(recordedError(Object.assign(new Error('x'), { code: 42 }))).to.include({ code: 42 });
  });

  for (const value of [undefined, null, NaN, Infinity, {}, true, 5n, Symbol('s')]) {
    it(`leaves out a code and a status of ${inspect(value)}`, () => {
      const error = Object.assign(new Error('x'), { code: value, statusCode: value });

      expect(recordedError(error)).to.deep.equal({ name: 'Error', message: 'x' });
    });
  }

  it('cuts a message after 4 KB of UTF-8, between characters', () => {
    const bytes = (text: string): number =>
      Buffer.byteLength(recordedError(new Error(text)).message);

    expect(bytes('a'.repeat(4096))).to.equal(4096);
    expect(bytes('a'.repeat(4097))).to.equal(4096);
    expect(bytes('€'.repeat(2000))).to.equal(4095);
    expect(bytes(`a${'😀'.repeat(2000)}`)).to.equal(4093);
    expect(recordedError(new Error(`a${'😀'.repeat(2000)}`)).message).to.match(/^a(?:😀)+$/u);
  });

  it('cuts names and codes the same way', () => {
    const error = Object.assign(new Error('x'), { name: 'N'.repeat(5000), code: 'C'.repeat(5000) });
    const { name, code } = recordedError(error);

    expect([name.length, String(code).length]).to.deep.equal([4096, 4096]);
  });

  it('keeps text that every store can write: no lone surrogates', () => {
    expect(recordedError(new Error('a\ud800b')).message).to.equal('a\ufffdb');
    expect(recordedError(new Error(`${'a'.repeat(4000)}\ud800`)).message).to.match(/a\ufffd$/u);
  });

  for (const [thrown, message] of [
    ['out of stock', 'out of stock'],
    [42, '42'],
    [10n, '10'],
    [undefined, 'undefined'],
    [null, 'null'],
    [false, 'false'],
    [Symbol('s'), 'Symbol(s)'],
  ] as const) {
    it(`keeps ${inspect(thrown)}, which is no error, as the message of one`, () => {
      expect(recordedError(thrown)).to.deep.equal({ name: 'Error', message });
    });
  }

  it('keeps an object that is no error by its members', () => {
    const thrown = { name: 'Problem', message: 5, code: 'E1' };

    expect(recordedError(thrown)).to.deep.equal({ name: 'Problem', message: '', code: 'E1' });
    expect(recordedError(Object.create(null))).to.deep.equal({ name: 'Error', message: '' });
  });

  for (const [what, make] of Object.entries(hostileErrors)) {
    it(`keeps what it can of ${what}, and never throws`, () => {
      expect(recordedError(make())).to.deep.equal({ name: 'Error', message: '' });
    });

    for (const recordErrorIf of [undefined, () => true, () => false]) {
      const when = recordErrorIf === undefined ? 'never' : `for ${String(recordErrorIf())}`;
      it(`leaves the method's own error to its caller: ${what}, recorded ${when}`, async () => {
        const harness = new Harness();
        const thrown = make();
        const options = recordErrorIf === undefined ? {} : { recordErrorIf };
        // Not expectRejection: it would look at the error.
        const caught: unknown = await harness
          .call(() => Promise.reject(thrown as Error), options)
          .catch((error: unknown) => [error]);
        harness.dispose();

        expect((caught as unknown[])[0] === thrown).to.equal(true);
        const status = (await harness.memory.get('o1'))?.status;
        expect(status).to.equal(recordErrorIf?.() === true ? 'FAILED' : undefined);
      });
    }
  }
});

describe('a replayed error', () => {
  const replayed = replayedError({ name: 'Declined', message: 'no', code: 'E1', statusCode: 402 });

  // F63
  it('is an Error with the recorded members', () => {
    expect(replayed).to.be.an.instanceOf(Error);
    expect(replayed).to.include({ name: 'Declined', message: 'no', code: 'E1', statusCode: 402 });
    expect(Object.keys(replayed)).to.deep.equal(['code', 'statusCode']);
  });

  it('has no members that were not recorded', () => {
    const plain = replayedError({ name: 'Error', message: 'no' });

    expect(plain).to.not.have.any.keys('code', 'statusCode');
  });

  // F63
  it('is told apart from a fresh one', async () => {
    const harness = new Harness();
    const options = { recordErrorIf: () => true };
    const decline = (): Promise<never> => Promise.reject(new RangeError('declined'));
    const fresh = await expectRejection(harness.call(decline, options));
    const again = await expectRejection(harness.call(decline, options));
    harness.dispose();

    expect([isReplayedError(fresh), isReplayedError(again)]).to.deep.equal([false, true]);
    expect(again).to.include({ name: 'RangeError', message: 'declined' });
  });

  for (const value of [undefined, null, 'x', {}, new Error('x')]) {
    it(`is not ${inspect(value).split('\n')[0] ?? ''}`, () => {
      expect(isReplayedError(value)).to.equal(false);
    });
  }
});
