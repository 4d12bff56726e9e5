import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { isIdempotencyKeyError } from '../../lib/errors/index.js';
import { canonicalJson } from '../../lib/keys/canonical-json.js';
import { hashedKey } from '../../lib/keys/hashed-key.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\u0000', '\u007f', '\u2028', '€', '😀', 'a'),
  }),
);

/** Few names, some of which are digits or differ in their last unit alone: lists collide and repeat. */
const name = fc.oneof(
  text,
  fc.constantFrom(
    'a',
    'b',
    'aa',
    'ab',
    '1',
    '10',
    '9',
    '',
    '\u0080',
    '€',
    '😀',
    '\ufb33',
    '__proto__',
  ),
);

const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  fc.double({ noNaN: true, min: -1e-5, max: 1e-5 }),
);

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 6 }),
    sameShaped(tie('value')),
  ),
})).value;

/** Arrays of records with one list of names, now and then with a name less. */
function sameShaped(member: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .record({
      names: fc.uniqueArray(name, { maxLength: 5 }),
      rows: fc.array(fc.array(member, { minLength: 4, maxLength: 5 }), { maxLength: 4 }),
    })
    .map(({ names, rows }) =>
      rows.map((row) => Object.fromEntries(row.map((value, i) => [names[i] ?? 'last', value]))),
    );
}

/** The same data with its members in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, reversed(member)] as const);
  return Object.fromEntries(members.reverse());
}

describe('canonicalJson, for any JSON', () => {
  let canonicalize: (value: unknown) => string | undefined;

  before(async () => {
    // The package has no entry for `require`.
    canonicalize = (await import('canonicalize')).default;
  });

  it('writes what the canonicalize package writes', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).to.equal(canonicalize(value));
      }),
      { numRuns: 5000 },
    );
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).to.equal(canonicalJson(value));
      }),
      { numRuns: 1000 },
    );
  });

  it('can be read back as the data it was made from', () => {
    fc.assert(
      fc.property(json, (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));

        expect(JSON.parse(canonicalJson(value))).to.deep.equal(plain);
      }),
      { numRuns: 1000 },
    );
  });

  it('is hashed as UTF-8', () => {
    fc.assert(
      fc.property(json, (value) => {
        const hash = createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');

        expect(hashedKey(value, 'value')).to.equal(`sha256:${hash}`);
      }),
    );
  });

  it('says what JSON.stringify says of anything else, or refuses it with a typed error', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      stringUnit: 'binary',
    });
    fc.assert(
      fc.property(anything, (value) => {
        let written: string;
        try {
          written = canonicalJson(value);
        } catch (error) {
          expect(isIdempotencyKeyError(error)).to.equal(true);
          return;
        }
        expect(JSON.parse(written)).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 3000 },
    );
  });
});
