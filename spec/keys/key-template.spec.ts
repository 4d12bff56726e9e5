import { expect } from 'chai';
import fc from 'fast-check';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { idempotencyKey, type KeyPart } from '../../lib/keys/key-template.js';
import { IdStore } from '../decorator/support.js';
import { expectRejection } from '../support/expect-rejection.js';
import { expectKeyError } from './expect-key-error.js';

/** Values that the types refuse, as they come out of parsed JSON. */
const keyOf = (part: unknown): string => idempotencyKey`a:${'x'}:b:${part as KeyPart}`;

describe('idempotencyKey', () => {
  it('reads as the template does', () => {
    const [tenant, id] = ['acme', 'O-1.2_3'];

    expect(idempotencyKey`tenant:${tenant}:order:${id}`).to.equal('tenant:acme:order:O-1.2_3');
    expect(idempotencyKey`${tenant}/${7}/${7n}/${-0.5}`).to.equal('acme/7/7/-0.5');
    expect(idempotencyKey`nightly report`).to.equal('nightly report');
    expect(idempotencyKey`naïve:${'größe 漢字 🚀'}`).to.equal('naïve:größe 漢字 🚀');
  });

  it('escapes in the parts what separates them in the template, % and #', () => {
    expect(idempotencyKey`tenant:${'a:b'}:order:${'c'}`).to.equal('tenant:a%3Ab:order:c');
    expect(idempotencyKey`${'a-b'}-${'50%'}-${'#1'}`).to.equal('a%2Db-50%25-%231');
    expect(idempotencyKey`${'a·b'}·${'a]b^c\\d'}`).to.equal('a%C2%B7b·a]b^c\\d');
    expect(idempotencyKey`${'a]b'}]${'^'}^${'\\'}\\${'-'}`).to.equal('a%5Db]%5E^%5C\\-');
  });

  // F93
  it('gives a bare key of runIdempotent no namespace of its making', () => {
    expect(idempotencyKey`order:${'orders#1'}`).to.equal('order:orders%231');
  });

  it('never makes one key of two lists of parts', () => {
    // Few characters, so that lists meet often: separators, letters of the template, escapes.
    const part = fc.string({ unit: fc.constantFrom(...':-%#3Ao2d '), minLength: 1, maxLength: 4 });
    const parts = fc.tuple(part, part, part).filter((all) => all.every((text) => text.trim()));
    const templates = [
      ([a, b, c]: readonly string[]) => idempotencyKey`${a}:${b}:${c}`,
      ([a, b, c]: readonly string[]) => idempotencyKey`o:${a}-o2:${b}A:A${c}-`,
      ([a, b, c]: readonly string[]) => idempotencyKey`${a}%3A-${b} ${c}`,
    ];
    fc.assert(
      fc.property(parts, parts, fc.constantFrom(...templates), (one, other, template) => {
        expect(template(one) === template(other)).to.equal(one.join('\0') === other.join('\0'));
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', ':', '%'), maxLength: 3 }), {
          minLength: 2,
          maxLength: 2,
        }),
        ([whole, half]) => {
          fc.pre(whole !== '' && half !== '');
          expect(idempotencyKey`k:${whole}`).to.not.equal(idempotencyKey`k:${whole}:${half}`);
        },
      ),
    );
  });

  for (const [what, part] of [
    ['undefined', undefined],
    ['null', null],
    ['an empty string', ''],
    ['a blank string', ' \t'],
    ['NaN', NaN],
    ['the trace of a missing part', 'order-undefined'],
    ['the word null', 'null'],
    ['the text of an object', '[object Object]'],
  ] as const) {
    it(`refuses a missing part: ${what}`, () => {
      const error = expectKeyError(() => keyOf(part));

      expect(error.missing).to.equal(true);
      expect(error.reason).to.match(/^`part 2 of the key` (?:is|holds) /u);
    });
  }

  for (const [what, part] of [
    ['true', true],
    ['false', false],
    ['an object', { id: 1 }],
    ['an empty object', {}],
    ['an array', ['a', 'b']],
    ['a Date', new Date(0)],
    ['a boxed string', new String('a')],
    ['a promise', Promise.resolve('a')],
    ['a function', () => 'a'],
    ['a symbol', Symbol('a')],
    ['an infinite number', Infinity],
    ['an integer beyond 2^53', 2 ** 53],
    ['ill-formed text', '\ud800'],
  ] as const) {
    it(`refuses an unusable part: ${what}`, () => {
      const error = expectKeyError(() => keyOf(part));

      expect(error.missing).to.equal(false);
      expect(error.reason).to.match(/^`part 2 of the key` /u);
    });
  }

  it('refuses parts with nothing between them that separates', () => {
    const templates = [
      () => idempotencyKey`${'a'}${'b'}`,
      () => idempotencyKey`${'a'}:${'b'}x1${'c'}`,
      () => idempotencyKey`${'a'}%2D${'b'}`,
    ];

    for (const template of templates)
      expect(template).to.throw(TypeError, /a separator .* between the parts/u);
  });

  it('refuses to be called like a function', () => {
    const call = idempotencyKey as unknown as (text: unknown) => string;

    for (const argument of ['order:1', ['order:1'], undefined]) {
      expect(() => call(argument)).to.throw(TypeError, /Expected a template/u);
    }
  });

  // F93
  it('stands verbatim behind the namespace; its refusal names the method', async () => {
    const store = new IdStore();
    const place = makeIdempotent(
      async (tenant: string, order?: string) => Promise.resolve([tenant, order]),
      {
        key: (tenant, order) => idempotencyKey`tenant:${tenant}:order:${order}`,
        namespace: 'orders',
        store,
      },
    );

    await place('a:b', 'c');
    const error = await expectRejection(place('a:b'));

    expect(store.ids).to.deep.equal(['orders#tenant:a%3Ab:order:c']);
    expect(error).to.include({
      code: 'ERR_IDEMPOTENCY_KEY',
      missing: true,
      message: '`part 2 of the key` is undefined (orders)',
    });
  });
});
