import { expect } from 'chai';
import { checkKeyValue } from '../../lib/keys/key-value.js';
import { recordId } from '../../lib/keys/record-id.js';
import { expectKeyError } from './expect-key-error.js';

/** Lone values; each is tried by itself and inside arrays and objects. */
const missing: [string, unknown, RegExp][] = [
  ['undefined', undefined, /is undefined/],
  ['null', null, /is null/],
  ['an empty string', '', /is blank/],
  ['a blank string', ' \t\n\u00a0', /is blank/],
  ['NaN', Number.NaN, /is NaN/],
  ['an empty array', [], /is empty/],
  ['an empty object', {}, /is empty/],
  ['empty bytes', new Uint8Array(), /is empty/],
  ['an invalid Date', new Date(Number.NaN), /is null/],
  ['a toJSON that gives nothing', { toJSON: () => undefined }, /is undefined/],
  ['a boxed empty string', Object(''), /is blank/],
  ['the trace of undefined', 'order:undefined', /holds the word undefined/],
  ['the trace of null', 'null#42', /holds the word null/],
  ['the trace of NaN', 'total NaN', /holds the word NaN/],
  ['the trace of an object', 'order:[object Object]', /holds \[object Object\]/],
  ['nothing but [object Object]', '[object Object]', /holds \[object Object\]/],
  ['[object Object] next to a letter', 'o[object Object]', /holds \[object Object\]/],
  ['a trace between underscores', 'a_undefined_b', /holds the word undefined/],
];

const unusable: [string, unknown, RegExp][] = [
  ['true', true, /is a boolean/],
  ['false', false, /is a boolean/],
  ['Infinity', Number.POSITIVE_INFINITY, /is infinite/],
  ['a promise', Promise.resolve('o1'), /is a promise/],
  ['a thenable', { id: 'o1', then: () => 1 }, /is a promise/],
  ['a function', () => 'o1', /is a function/],
  ['a symbol', Symbol('o1'), /is a symbol/],
  ['the text of a promise', 'order:[object Promise]', /holds \[object Promise\]/],
  ['a string that is not well-formed', 'o\udc001', /is not well-formed/],
];

/** Refused as well, where arrays and objects are written as canonical JSON. */
const untold: [string, unknown, RegExp][] = [
  ['a Map', new Map([['id', 'o1']]), /is a Map/],
  ['a Set', new Set(['o1']), /is a Set/],
  ['an integer beyond 2^53', 2 ** 53, /beyond 2\^53/],
  ['an object of a class without members', /o1/, /is an object of a class/],
];

describe('checkKeyValue', () => {
  // F04
  for (const [what, value, reason] of missing) {
    it(`finds ${what} missing, by itself`, () => {
      const error = expectKeyError(() => {
        checkKeyValue(value, 'Orders.place');
      });

      expect(error.reason)
        .to.match(/^`key` /)
        .and.match(reason);
      expect(error).to.include({ missing: true, method: 'Orders.place' });
    });

    it(`finds ${what} missing, at any depth`, () => {
      const error = expectKeyError(() => {
        checkKeyValue(['t1', { order: [1, value] }]);
      });

      expect(error.reason)
        .to.match(/^`key\[1\]\.order\[1\]` /)
        .and.match(reason);
      expect(error.missing).to.equal(true);
    });
  }

  for (const word of ['undefined', 'null', 'NaN']) {
    it(`takes the word ${word} for a trace by itself, and as said on purpose alone in an array`, () => {
      const error = expectKeyError(() => {
        checkKeyValue(word);
      });

      expect(error.missing).to.equal(true);
      expect(() => {
        checkKeyValue(['customer', word]);
        checkKeyValue({ customer: word });
      }).not.to.throw();
    });
  }

  for (const [what, value, reason] of unusable) {
    it(`finds ${what} unusable, by itself and at any depth`, () => {
      const alone = expectKeyError(() => {
        checkKeyValue(value);
      });
      const nested = expectKeyError(() => {
        checkKeyValue({ a: ['t1', value] });
      });

      expect(alone.reason)
        .to.match(/^`key` /)
        .and.match(reason);
      expect(nested.reason)
        .to.match(/^`key\.a\[1\]` /)
        .and.match(reason);
      expect([alone.missing, nested.missing]).to.deep.equal([false, false]);
    });
  }

  for (const [what, value, reason] of untold) {
    it(`leaves ${what} to the writer of ids, which finds it unusable`, () => {
      const alone = expectKeyError(() => recordId('ns', value, 'Orders.place'));
      const nested = expectKeyError(() => recordId('ns', [{ a: value }], 'Orders.place'));

      expect(alone.reason)
        .to.match(/^`key` /)
        .and.match(reason);
      expect(nested.reason)
        .to.match(/^`key\[0\]\.a` /)
        .and.match(reason);
      expect(alone).to.include({ missing: false, method: 'Orders.place' });
    });
  }

  it('finds cycles and endless nesting unusable', () => {
    const cycle: unknown[] = ['t1'];
    cycle.push({ again: cycle, more: cycle });

    const error = expectKeyError(() => {
      checkKeyValue(cycle);
    });

    expect(error).to.include({ reason: '`key` contains itself', missing: false });
  });

  it('refuses a nested bigint, which JSON has no form for', () => {
    const error = expectKeyError(() => recordId('ns', ['t1', 1n], 'Orders.place'));

    expect(error.reason).to.match(/^`key\[1\]` is a bigint/);
  });

  it('gives what a getter or toJSON threw as the cause', () => {
    const cause = new RangeError('no');
    const key = {
      toJSON: () => {
        throw cause;
      },
    };

    const error = expectKeyError(() => {
      checkKeyValue([key]);
    });

    expect(error).to.include({ reason: '`key[0]` could not be read: RangeError', missing: false });
    expect(error.cause).to.equal(cause);
  });

  it('keeps the value out of the message', () => {
    const error = expectKeyError(() => {
      checkKeyValue('secret:undefined');
    });

    expect(error.message).not.to.contain('secret');
  });

  it('accepts what is there, 0 and words that only contain a trace among it', () => {
    const values = [
      0,
      -0,
      1n,
      0n,
      0.5,
      '0',
      'false',
      'nullable',
      'Nullify',
      'isnull',
      'undefined1',
      'éundefined',
      'NaNo',
      'order:42',
      ' o1 ',
      ['t1', 'o1', 0],
      { tenant: 't1', order: { id: 0 } },
      new Date(0),
      Buffer.from('o1'),
      new Uint8Array([0]),
      Object('o1'),
    ];

    for (const value of values) {
      expect(() => {
        checkKeyValue(value);
      }).not.to.throw();
    }
  });
});
