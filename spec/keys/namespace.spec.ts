import { expect } from 'chai';
import fc from 'fast-check';
import { checkNamespace, encodeNamePart } from '../../lib/keys/namespace.js';

const WHERE = '@Idempotent on Orders.place';

function check(namespace: unknown): () => void {
  return () => {
    checkNamespace(namespace, WHERE);
  };
}

describe('checkNamespace', () => {
  it('accepts strings without #, the empty one too, of up to 512 bytes', () => {
    for (const namespace of [
      '',
      'orders',
      'fn/Orders.place',
      'a b%23',
      'x'.repeat(512),
      'é'.repeat(256),
    ]) {
      expect(check(namespace)).not.to.throw();
    }
  });

  it('refuses anything but a string, by a TypeError', () => {
    const others: [unknown, string][] = [
      [undefined, 'undefined'],
      [null, 'null'],
      [1, '1'],
      [{}, 'an object'],
    ];
    for (const [namespace, got] of others) {
      expect(check(namespace)).to.throw(
        TypeError,
        `Expected \`namespace\` to be a string, got ${got} (${WHERE})`,
      );
    }
  });

  it('refuses a #, a lone surrogate and more than 512 bytes of UTF-8, by a RangeError', () => {
    expect(check('a#b')).to.throw(
      RangeError,
      `Expected \`namespace\` to be without #, which ends it in an id, got "a#b" (${WHERE})`,
    );
    expect(check('a\ud800')).to.throw(
      RangeError,
      `Expected \`namespace\` to be well-formed UTF-16, got "a\\ud800" (${WHERE})`,
    );
    expect(check(`x${'é'.repeat(256)}`)).to.throw(
      RangeError,
      `Expected \`namespace\` to be at most 512 bytes of UTF-8, got 513 (${WHERE})`,
    );
  });
});

describe('encodeNamePart', () => {
  it('encodes # and %, and nothing else', () => {
    expect(encodeNamePart('#pay')).to.equal('%23pay');
    expect(encodeNamePart('100%#')).to.equal('100%25%23');
    expect(encodeNamePart('Orders.static.[a/b]')).to.equal('Orders.static.[a/b]');
  });

  it('gives different names different parts', () => {
    const name = fc.string({ unit: fc.constantFrom('#', '%', '2', '3', '5', 'a') });
    fc.assert(
      fc.property(name, (one) => {
        const encoded = encodeNamePart(one);

        expect(encoded).not.to.contain('#');
        expect(decodeURIComponent(encoded)).to.equal(one);
      }),
    );
  });
});
