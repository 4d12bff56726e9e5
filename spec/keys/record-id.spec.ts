import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../lib/keys/canonical-json.js';
import { joinId, recordId } from '../../lib/keys/record-id.js';
import { expectKeyError } from './expect-key-error.js';

const METHOD = 'Orders.place';

function id(namespace: string, key: unknown, bareKeyExplicit = false): string {
  return recordId(namespace, key, METHOD, bareKeyExplicit);
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`;
}

describe('recordId', () => {
  // F93
  it('keeps a short key readable, behind its namespace or bare', () => {
    expect(id('orders', 'o1')).to.equal('orders#o1');
    expect(id('', 'o1')).to.equal('o1');
    expect(id('a/B.c', ' o#1 ')).to.equal('a/B.c# o#1 ');
  });

  it('gives 1, "1" and 1n one id, and 0 and -0', () => {
    expect([1, '1', 1n].map((key) => id('orders', key))).to.deep.equal(Array(3).fill('orders#1'));
    expect([0, -0, 0n, '0'].map((key) => id('orders', key))).to.deep.equal(
      Array(4).fill('orders#0'),
    );
    expect(id('orders', 2n ** 80n)).to.equal('orders#1208925819614629174706176');
  });

  it('tells 1 and "1" apart in arrays, as JSON does', () => {
    expect(id('orders', [1])).not.to.equal(id('orders', ['1']));
  });

  it('hashes the canonical JSON of arrays and objects', () => {
    expect(id('orders', ['t1', 1])).to.equal(`orders#${sha256('["t1",1]')}`);
    expect(id('', { b: 1, a: ['x'] })).to.equal(sha256('{"a":["x"],"b":1}'));
    expect(id('orders', { a: 1, b: 2 })).to.equal(id('orders', { b: 2, a: 1 }));
    expect(id('orders', Buffer.from('a'))).to.equal(
      `orders#${sha256('{"data":[97],"type":"Buffer"}')}`,
    );
  });

  // F55
  it('keeps tenants apart, wherever the borders between parts fall', () => {
    const keys = [
      ['t1', 'o1'],
      ['t2', 'o1'],
      ['t1o', '1'],
      ['t1', 'o1', 'x'],
      [['t1'], 'o1'],
      ['t1,o1'],
    ];

    expect(new Set(keys.map((key) => id('orders', key)))).to.have.property('size', keys.length);
  });

  it('hashes a key that looks hashed, so that none can pass for another', () => {
    const hashed = id('', ['t1', 'o1']);

    expect(id('', hashed)).to.equal(sha256(JSON.stringify(hashed)));
    expect(id('orders', 'sha256:')).to.equal(`orders#${sha256('"sha256:"')}`);
    expect(id('orders', 'sha256')).to.equal('orders#sha256');
  });

  it('does not take a string of JSON for the array it describes', () => {
    const long = ['x'.repeat(2000)];

    expect(id('orders', JSON.stringify(long))).not.to.equal(id('orders', long));
    expect(id('orders', '["a"]')).not.to.equal(id('orders', ['a']));
  });

  it('hashes the key where the id would exceed 1024 bytes of UTF-8', () => {
    const fits = '\u20ac'.repeat(339);
    const whole = `orders#${fits}`;
    expect(Buffer.byteLength(whole)).to.equal(1024);

    expect(id('orders', fits)).to.equal(whole);
    expect(id('orderss', fits)).to.equal(`orderss#${sha256(JSON.stringify(fits))}`);
    expect(id('orders', `${fits}x`)).to.equal(`orders#${sha256(JSON.stringify(`${fits}x`))}`);
    expect(id('', 'x'.repeat(1024))).to.equal('x'.repeat(1024));
    expect(id('', 'x'.repeat(1025))).to.equal(sha256(JSON.stringify('x'.repeat(1025))));
    expect(id('n'.repeat(512), 'x'.repeat(5000))).to.have.length(512 + 1 + 71);
    expect(id('', 10n ** 2000n)).to.equal(id('', String(10n ** 2000n)));
  });

  it('refuses a bare key with #, unless the bare key was asked for', () => {
    const error = expectKeyError(() => id('', 'orders#o1'));

    expect(error.reason).to.match(/^`key` holds #/);
    expect(error).to.include({ missing: false, method: METHOD });
    expect(id('', 'orders#o1', true)).to.equal('orders#o1');
    expect(id('orders', 'a#b')).to.equal('orders#a#b');
    expect(id('', ['a#b'])).to.match(/^sha256:/);
  });

  it('refuses missing and unusable keys, naming the method', () => {
    expect(expectKeyError(() => id('orders', ['t1', undefined]))).to.include({
      message: '`key[1]` is undefined (Orders.place)',
      missing: true,
    });
    expect(expectKeyError(() => id('orders', 2 ** 53)).missing).to.equal(false);
    expect(expectKeyError(() => id('orders', new Map([['a', 1]]))).missing).to.equal(false);
  });

  it('never gives two pairs of namespace and key one id, except for the equalities it documents', () => {
    const namespace = fc.oneof(
      fc.constant(''),
      fc.string({ unit: fc.constantFrom('a', 'b', ':', '%'), maxLength: 3 }),
      fc.constantFrom('sha256:', 'a'.repeat(512)),
    );
    const part = fc.oneof(
      fc.string({
        unit: fc.constantFrom('a', 'b', '#', ':', '"', '[', ']', ',', '1'),
        maxLength: 4,
      }),
      fc.integer({ min: -1, max: 2 }),
      fc.constantFrom(
        'sha256:',
        sha256('["a"]'),
        'x'.repeat(511),
        'x'.repeat(1023),
        'x'.repeat(1024),
      ),
    );
    const key = fc.oneof(
      part,
      fc.bigInt({ min: -1n, max: 2n }),
      fc.array(part, { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b'), part),
      part.map((value) => JSON.stringify([value])),
    );
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(namespace, key, (ns, value) => {
        let made: string;
        try {
          made = id(ns, value);
        } catch {
          return;
        }
        // What is equal on purpose: scalars by their text, data by its canonical JSON.
        const identity = canonicalJson([ns, typeof value === 'object' ? value : String(value)]);

        expect(seen.get(made) ?? identity).to.equal(identity);
        expect(Buffer.byteLength(made)).to.be.at.most(1024);
        seen.set(made, identity);
      }),
      { numRuns: 5000 },
    );
    expect(seen.size).to.be.greaterThan(500);
  });
});

describe('joinId', () => {
  it('joins a namespace and a key that is ready, as it is', () => {
    expect(joinId('orders', 'sha256:ab')).to.equal('orders#sha256:ab');
    expect(joinId('', 'sha256:ab')).to.equal('sha256:ab');
  });
});
