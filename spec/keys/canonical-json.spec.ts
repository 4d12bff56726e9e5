import vm from 'node:vm';
import { expect } from 'chai';
import { canonicalJson } from '../../lib/keys/canonical-json.js';
import { expectKeyError } from './expect-key-error.js';

describe('canonicalJson', () => {
  it('sorts members by UTF-16 code units, at every level', () => {
    const value = {
      '\u20ac': 'Euro',
      '\r': 'Return',
      '\ufb33': 'Hebrew dalet with dagesh',
      '1': 'One',
      '\u{1f600}': 'Emoji',
      '\u0080': 'Control',
      '\u00f6': 'o with diaeresis',
      nested: { b: 1, a: { d: 1, c: 1 } },
    };

    // The emoji's first unit is 0xd83d: before U+FB33, although its code point is larger.
    const expected =
      '{"\\r":"Return","1":"One","nested":{"a":{"c":1,"d":1},"b":1},"\u0080":"Control",' +
      '"\u00f6":"o with diaeresis","\u20ac":"Euro","\u{1f600}":"Emoji","\ufb33":"Hebrew dalet with dagesh"}';
    expect(canonicalJson(value)).to.equal(expected);
  });

  it('sorts names of digits as text', () => {
    expect(canonicalJson({ 10: 'b', 9: 'c', 1: 'a', '-1': 'd' })).to.equal(
      '{"-1":"d","1":"a","10":"b","9":"c"}',
    );
  });

  it('writes numbers in the form of ECMAScript', () => {
    const numbers: [number, string][] = [
      [0, '0'],
      [-0, '0'],
      [5e-324, '5e-324'],
      [-5e-324, '-5e-324'],
      [1e-7, '1e-7'],
      [0.000001, '0.000001'],
      [333333333.3333332, '333333333.3333332'],
      [4.5, '4.5'],
      [1e3, '1000'],
      [2e-3, '0.002'],
      [0.1 + 0.2, '0.30000000000000004'],
      [Number.MAX_SAFE_INTEGER, '9007199254740991'],
      [-Number.MAX_SAFE_INTEGER, '-9007199254740991'],
    ];
    for (const [number, text] of numbers) expect(canonicalJson(number)).to.equal(text);
  });

  it('escapes in strings and names what JSON has to, and nothing else', () => {
    const text = '\u20ac$\u000f\nA\'B"\\/\b\t\f\r\u007f\u2028\u{1f600}';
    const escaped = '"\u20ac$\\u000f\\nA\'B\\"\\\\/\\b\\t\\f\\r\u007f\u2028\u{1f600}"';

    expect(canonicalJson(text)).to.equal(escaped);
    expect(canonicalJson({ [text]: text })).to.equal(`{${escaped}:${escaped}}`);
  });

  it('leaves undefined, functions and symbols out, and writes null for them in arrays', () => {
    const nothing = [undefined, () => 1, Symbol('s')];

    expect(canonicalJson({ z: nothing[0], a: nothing[1], m: 1, n: nothing[2] })).to.equal(
      '{"m":1}',
    );
    expect(canonicalJson({ a: undefined })).to.equal('{}');
    expect(canonicalJson([...nothing, 1])).to.equal('[null,null,null,1]');
    // A hole is undefined too.
    expect(canonicalJson([, 1])).to.equal('[null,1]');
    expect(canonicalJson([[], {}])).to.equal('[[],{}]');
  });

  it('honours toJSON as JSON.stringify does: once, with the name', () => {
    const named = { toJSON: (name: string) => `at ${name}` };
    const self: object = { b: 1, a: 2, toJSON: () => self };
    const callable = Object.assign(() => 1, { toJSON: () => 'callable' });

    expect(canonicalJson({ at: new Date(0), list: [named], named })).to.equal(
      '{"at":"1970-01-01T00:00:00.000Z","list":["at 0"],"named":"at named"}',
    );
    expect(canonicalJson(self)).to.equal('{"a":2,"b":1}');
    expect(canonicalJson([callable])).to.equal('["callable"]');
    expect(canonicalJson(Buffer.from('a'))).to.equal('{"data":[97],"type":"Buffer"}');
    expect(canonicalJson([new Date(Number.NaN)])).to.equal('[null]');
  });

  it('takes primitives out of their boxes', () => {
    const boxed = [Object('a'), Object(1), Object(false)] as unknown[];

    expect(canonicalJson(boxed)).to.equal('["a",1,false]');
  });

  it('writes own enumerable members of classes, null prototypes and other realms', () => {
    class Order {
      readonly id = 'o1';
      place = (): void => undefined;
      get total(): number {
        return 1;
      }
    }
    const bare = Object.assign(Object.create(null) as object, { b: 1, a: 2 });

    expect(canonicalJson(new Order())).to.equal('{"id":"o1"}');
    expect(canonicalJson(bare)).to.equal('{"a":2,"b":1}');
    expect(canonicalJson(vm.runInNewContext('({ a: [{}] })'))).to.equal('{"a":[{}]}');
    expect(canonicalJson(new Uint8Array([7, 8]))).to.equal('{"0":7,"1":8}');
    expect(canonicalJson(new Uint8Array())).to.equal('{}');
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).to.equal('{"__proto__":1}');
  });

  it('writes one object twice where it is met twice', () => {
    const shared = { id: 1 };

    expect(canonicalJson({ a: shared, b: [shared, shared] })).to.equal(
      '{"a":{"id":1},"b":[{"id":1},{"id":1}]}',
    );
  });

  it('keeps kinds of objects apart whose names differ little', () => {
    const kinds = [
      { a: 1, b: 2, d: 3 },
      { a: 1, c: 2, d: 3 },
      { a: 1, b: 2, d: 3, e: 4 },
      { d: 1, b: 2, a: 3 },
    ];
    const texts = [
      '{"a":1,"b":2,"d":3}',
      '{"a":1,"c":2,"d":3}',
      '{"a":1,"b":2,"d":3,"e":4}',
      '{"a":3,"b":2,"d":1}',
    ];

    expect(canonicalJson([...kinds, ...kinds])).to.equal(`[${[...texts, ...texts].join(',')}]`);
  });

  it('is not confused by a toJSON that makes canonical JSON itself', () => {
    const inner = { toJSON: () => canonicalJson({ z: 1, a: 2 }) };

    expect(canonicalJson({ y: inner, b: inner, z: 0 })).to.equal(
      '{"b":"{\\"a\\":2,\\"z\\":1}","y":"{\\"a\\":2,\\"z\\":1}","z":0}',
    );
  });

  describe('refuses', () => {
    class Secret {
      readonly #value = 1;
      read = (): number => this.#value;
    }
    class Basket extends Map<string, number> {
      readonly total = 1;
    }
    const refusals: [string, unknown, RegExp][] = [
      ['a Map', new Map([['k', 1]]), /is a Map/],
      ['a Map with members of its own', new Basket(), /is a Map/],
      ['a Set', new Set([1]), /is a Set/],
      ['a bigint', 1n, /is a bigint/],
      ['a boxed bigint', Object(1n), /is a bigint/],
      ['an integer beyond 2^53', 2 ** 53, /beyond 2\^53/],
      ['a negative integer beyond 2^53', -(2 ** 53), /beyond 2\^53/],
      ['a large number', 1e21, /beyond 2\^53/],
      ['NaN', Number.NaN, /NaN or infinite/],
      ['a boxed NaN', Object(Number.NaN), /NaN or infinite/],
      ['Infinity', Number.NEGATIVE_INFINITY, /NaN or infinite/],
      ['a string that is not well-formed', 'a\ud800b', /not well-formed/],
      ['a promise', Promise.resolve(1), /an object of a class/],
      ['a regular expression', /a/, /an object of a class/],
      ['an Error without members', new Error('e'), /an object of a class/],
      ['an object that shows functions alone', new Secret(), /an object of a class/],
      ['an ArrayBuffer', new ArrayBuffer(8), /an object of a class/],
      ['a DataView', new DataView(new ArrayBuffer(8)), /an object of a class/],
      ['a WeakMap', new WeakMap(), /an object of a class/],
      ['URLSearchParams', new URLSearchParams('a=1'), /an object of a class/],
      ['a boxed symbol', Object(Symbol.iterator), /an object of a class/],
      ['a name that is not well-formed', { '\udc00': 1 }, /a member whose name is not well-formed/],
    ];
    for (const [what, value, reason] of refusals) {
      it(`${what}, and names the place`, () => {
        const payload = { items: [0, 0, { id: value }] };

        const error = expectKeyError(() => canonicalJson(payload, 'order', 'Orders.place'));

        expect(error.reason)
          .to.match(reason)
          .and.match(/^`order\.items\[2\]\.id` /);
        expect(error.message).to.match(/ \(Orders\.place\)$/);
        expect(error).to.include({ method: 'Orders.place', missing: false });
      });
    }

    it('a cycle, naming the object that contains itself', () => {
      const node: Record<string, unknown> = { left: 1 };
      node['right'] = [{ up: node }];
      const list: unknown[] = [];
      list.push(1, list);

      expect(expectKeyError(() => canonicalJson({ a: { tree: node } })).reason).to.equal(
        '`value.a.tree` contains itself',
      );
      expect(expectKeyError(() => canonicalJson(list)).reason).to.equal('`value` contains itself');
    });

    it('what is nested too deeply, without the end of the stack', () => {
      const nested = (levels: number): unknown => {
        let value: unknown = 1;
        for (let level = 0; level < levels; level += 1) value = level % 2 ? [value] : { v: value };
        return value;
      };
      const endless = { toJSON: (): unknown => ({ endless: { toJSON: endless.toJSON } }) };

      expect(canonicalJson(nested(500))).to.have.length(250 * ('[]'.length + '{"v":}'.length) + 1);
      for (const value of [nested(501), nested(100_000), endless]) {
        expect(expectKeyError(() => canonicalJson(value)).reason).to.match(
          /^`value[^`]{1,200}` is nested more than 500 levels deep$/,
        );
      }
    });

    it('what has no form in JSON at all', () => {
      for (const value of [undefined, (): number => 1, Symbol('s')]) {
        expect(expectKeyError(() => canonicalJson(value)).reason).to.equal(
          '`value` has no form in JSON',
        );
      }
    });

    it('what throws while it is read, with the cause', () => {
      const cause = new TypeError('no');
      const value = {
        a: [
          {
            get b(): never {
              throw cause;
            },
          },
        ],
      };

      const error = expectKeyError(() => canonicalJson(value));

      expect(error.reason).to.equal('`value.a[0].b` could not be read: TypeError');
      expect(error.cause).to.equal(cause);
    });

    it('never with the value in the message, and odd names quoted', () => {
      const error = expectKeyError(() => canonicalJson({ 'a b': { '': 'secret\udfff' } }));

      expect(error.message).to.match(/^`value\["a b"\]\[""\]` is not well-formed/);
      expect(error.message).not.to.contain('secret');
    });
  });
});
