import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { processState } from '../../lib/configuration/process-state.js';
import {
  validateDefaults,
  validateMethodOptions,
} from '../../lib/configuration/validate-options.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import { jsonCodec } from '../../lib/results/json-codec.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { expectRejection } from '../support/expect-rejection.js';

const codec = (name: unknown): unknown => ({ name, encode: String, decode: String });
const nothing = (): void => undefined;

interface OptionCase {
  readonly what: string;
  readonly right: readonly unknown[];
  /** A wrong value and how the message shows it. */
  readonly wrong: readonly (readonly [value: unknown, shown: string])[];
}

const TEN_YEARS = 10 * 365.25 * 24 * 3600;
const notNumbers = [
  ['3600', '"3600"'],
  [null, 'null'],
  [true, 'true'],
  [60n, '60n'],
  [{}, 'an object'],
  [[1], 'an array'],
  [nothing, 'a function'],
  [Symbol('s'), 'Symbol(s)'],
] as const;
const notFinite = [
  [NaN, 'NaN'],
  [Infinity, 'Infinity'],
  [-Infinity, '-Infinity'],
] as const;
const notFunctions = [
  [true, 'true'],
  ['x', '"x"'],
  [null, 'null'],
  [{}, 'an object'],
] as const;
const notChoices = [
  ['Run', '"Run"'],
  ['', '""'],
  [true, 'true'],
  [null, 'null'],
] as const;

/** Options that a method and a default can have. */
const shared: Readonly<Record<string, OptionCase>> = {
  // F38
  ttl: {
    what: 'a positive number of seconds',
    right: [0.5, 1, 3600, TEN_YEARS],
    wrong: [...notNumbers, ...notFinite, [0, '0'], [-1, '-1']],
  },
  lease: {
    what: 'a number of seconds of at least 1',
    right: [1, 1.5, TEN_YEARS],
    wrong: [...notNumbers, ...notFinite, [0.999, '0.999'], [0, '0'], [-1, '-1']],
  },
  renewFor: {
    what: 'a number of seconds, 0 or more',
    right: [0, 0.5, TEN_YEARS],
    wrong: [...notNumbers, ...notFinite, [-0.001, '-0.001']],
  },
  wait: {
    what: 'a number of seconds, 0 or more',
    right: [0, 0.5, 5],
    wrong: [...notNumbers, ...notFinite, [-1, '-1']],
  },
  store: {
    what: 'a store or a function that returns one',
    right: [new MemoryStore(), () => new MemoryStore()],
    wrong: [
      [{}, 'an object'],
      [{ claim: nothing, complete: nothing }, 'an object'],
      ['orders', '"orders"'],
      [null, 'null'],
    ],
  },
  table: {
    what: "a table's name or ARN",
    right: ['orders', 'arn:aws:dynamodb:eu-central-1:123456789012:table/orders'],
    wrong: [
      ['', '""'],
      [5, '5'],
      [null, 'null'],
    ],
  },
  onMissingKey: { what: "'throw' or 'run'", right: ['throw', 'run'], wrong: notChoices },
  onStoreUnavailable: { what: "'throw' or 'run'", right: ['throw', 'run'], wrong: notChoices },
  onCompletionFailure: {
    what: "'return' or 'throw'",
    right: ['return', 'throw'],
    wrong: notChoices,
  },
  onExpiredClaim: { what: "'run' or 'reject'", right: ['run', 'reject'], wrong: notChoices },
  recordResultIf: { what: 'a function', right: [nothing], wrong: notFunctions },
  recordErrorIf: { what: 'a function', right: [nothing], wrong: notFunctions },
  codec: {
    what: 'a codec: `name` (1 to 64 letters, digits, `.`, `_`, `-`), `encode` and `decode`',
    right: [jsonCodec, codec('kms.v1_a-b'), codec('x'.repeat(64))],
    wrong: [
      [codec(undefined), 'an object'],
      [codec(42), 'an object'],
      [codec(''), 'an object'],
      [codec('x'.repeat(65)), 'an object'],
      [codec('json+gzip'), 'an object'],
      [{ name: 'half', encode: String }, 'an object'],
      ['json', '"json"'],
      [null, 'null'],
    ],
  },
};

const onlyDefaults: Readonly<Record<string, OptionCase>> = {
  clock: {
    what: 'a clock: `now()` and `setTimer(callback, delayMs)`',
    right: [manualClock()],
    wrong: [
      [{ now: Date.now }, 'an object'],
      [Date, 'a function'],
      [null, 'null'],
    ],
  },
  enabled: {
    what: 'a boolean',
    right: [true, false],
    wrong: [
      ['false', '"false"'],
      [0, '0'],
      [null, 'null'],
    ],
  },
};

const onlyMethods: Readonly<Record<string, OptionCase>> = {
  key: {
    what: 'a function of the arguments or a literal key',
    right: [nothing, 'literal', 5, 5n, ['a', 1], { a: 1 }],
    wrong: [
      [null, 'null'],
      [true, 'true'],
      [Symbol('k'), 'Symbol(k)'],
    ],
  },
  context: {
    what: 'a Lambda context or a function that returns one',
    right: [nothing, { getRemainingTimeInMillis: () => 1 }],
    wrong: [
      [{}, 'an object'],
      [5, '5'],
      [null, 'null'],
    ],
  },
  fingerprint: { what: 'a function', right: [nothing], wrong: notFunctions },
  onReplay: { what: 'a function', right: [nothing], wrong: notFunctions },
};

const places = {
  'as a default': { validate: validateDefaults, options: { ...shared, ...onlyDefaults } },
  'on a method': { validate: validateMethodOptions, options: { ...shared, ...onlyMethods } },
};

describe('options', () => {
  for (const [place, { validate, options }] of Object.entries(places)) {
    describe(place, () => {
      for (const [name, { what, right, wrong }] of Object.entries(options)) {
        describe(name, () => {
          it('takes right values', () => {
            for (const value of right) validate({ [name]: value }, 'here');
          });

          it('counts as not given where it is undefined', () => {
            validate({ [name]: undefined }, 'here');
          });

          for (const [value, shown] of wrong) {
            it(`refuses ${shown === 'an object' ? 'a wrong object' : shown}`, () => {
              const kind = typeof value === 'number' ? RangeError : TypeError;
              expect(() => validate({ [name]: value }, 'here'))
                .to.throw(Error, `Expected \`${name}\` to be ${what}, got ${shown} (here)`)
                .which.is.an.instanceOf(typeof right[0] === 'number' ? kind : TypeError);
            });
          }
        });
      }

      for (const name of ['ttl', 'lease', 'renewFor', 'wait']) {
        // F38
        it(`takes a ${name} of 1e13 for a point in time`, () => {
          expect(() => validate({ [name]: 1e13 }, 'here')).to.throw(
            RangeError,
            `Expected \`${name}\` to be at most ten years in seconds (a duration, not a time), got 10000000000000 (here)`,
          );
        });
      }

      it('takes a namespace of 512 bytes, and none that is longer, no string, or ends early', () => {
        validate({ namespace: 'ä'.repeat(256) }, 'here');

        expect(() => validate({ namespace: 'x'.repeat(513) }, 'here')).to.throw(
          RangeError,
          'Expected `namespace` to be at most 512 bytes of UTF-8, got 513 (here)',
        );
        expect(() => validate({ namespace: 5 }, 'here')).to.throw(
          TypeError,
          'Expected `namespace` to be a string, got 5 (here)',
        );
        expect(() => validate({ namespace: 'a#b' }, 'here')).to.throw(
          RangeError,
          'got "a#b" (here)',
        );
        expect(() => validate({ namespace: '\ud800' }, 'here')).to.throw(RangeError, 'well-formed');
      });

      it('refuses a store and a table together, unless one of them is undefined', () => {
        const store = new MemoryStore();
        expect(() => validate({ store, table: 'orders' }, 'here')).to.throw(
          TypeError,
          'Expected either `store` or `table`, got both (here)',
        );

        validate({ store: undefined, table: 'orders' }, 'here');
        validate({ store, table: undefined }, 'here');
      });

      it('tells a store from its class', () => {
        expect(() => validate({ store: MemoryStore }, 'here')).to.throw(
          TypeError,
          'Expected `store` to be a store, got its class: make one with `new` (here)',
        );
      });

      it('refuses a codec of its own that bears the name of plain JSON', () => {
        expect(() => validate({ codec: codec('json') }, 'here')).to.throw(
          TypeError,
          'Expected `codec` to be a codec with a name of its own, got "json" (here)',
        );
        expect(() => validate({ codec: { ...jsonCodec } }, 'here')).to.throw(
          TypeError,
          'name of its own',
        );
      });

      for (const name of ['tll', 'timeToLive', 'toString', '__proto__x', 'constructor']) {
        it(`refuses the unknown option ${name} and lists the known ones`, () => {
          expect(() => validate({ [name]: 1 }, 'here'))
            .to.throw(TypeError)
            .with.property('message')
            .which.matches(/^Expected one of the options ttl, lease, .*, got `\w+` \(here\)$/u);
        });
      }

      for (const [value, shown] of [
        [null, 'null'],
        ['ttl', '"ttl"'],
        [[], 'an array'],
        [nothing, 'a function'],
      ] as const) {
        it(`refuses ${shown} in place of options`, () => {
          expect(() => validate(value, 'here')).to.throw(
            TypeError,
            `Expected \`options\` to be an object of options, got ${shown} (here)`,
          );
        });
      }

      it('shows neither the contents of objects nor more than the beginning of strings', () => {
        const secret = { card: '4111' };
        const long = `orders ${'x'.repeat(100)} 4111`;

        for (const ttl of [secret, [secret], long]) {
          expect(() => validate({ ttl }, 'here'))
            .to.throw()
            .with.property('message')
            .which.does.not.include('4111');
        }
      });
    });
  }

  it('leave clock and the off switch to defaults', () => {
    expect(() => validateMethodOptions({ clock: manualClock() }, 'here')).to.throw(
      TypeError,
      '`clock`',
    );
    expect(() => validateMethodOptions({ enabled: false }, 'here')).to.throw(
      TypeError,
      '`enabled`',
    );
  });

  it('leave the key to methods', () => {
    expect(() => validateDefaults({ key: 'k' }, 'here')).to.throw(TypeError, 'got `key`');
  });

  it('give the bare key only to single methods', () => {
    validateMethodOptions({ namespace: '' }, 'here');

    expect(() => validateDefaults({ namespace: '' }, 'here')).to.throw(
      RangeError,
      'Expected `namespace` as a default to name something',
    );
  });

  // F38
  describe('at each door', () => {
    const wrong = { ttl: -1 };
    const shown = 'Expected `ttl` to be a positive number of seconds, got -1';

    it('name the method that is decorated', () => {
      expect(() => {
        class Orders {
          @Idempotent(wrong)
          async place(): Promise<void> {
            return Promise.resolve();
          }
        }
        return Orders;
      }).to.throw(RangeError, /^Expected `ttl` .*, got -1 \(@Idempotent on (Orders\.)?place\)$/u);
    });

    it('name the function that is wrapped', () => {
      expect(() => makeIdempotent(async function charge() {}, wrong)).to.throw(
        RangeError,
        `${shown} (makeIdempotent(charge))`,
      );
    });

    it('reject a call of runIdempotent before anything runs', async () => {
      let runs = 0;
      const error = await expectRejection(
        runIdempotent(
          'o1',
          () => {
            runs += 1;
          },
          wrong,
        ),
        RangeError,
      );

      expect(error.message).to.equal(`${shown} (runIdempotent)`);
      expect(runs).to.equal(0);
    });

    it('change no default', () => {
      const before = processState.defaults;

      expect(() => configureIdempotency(wrong)).to.throw(
        RangeError,
        `${shown} (configureIdempotency)`,
      );

      expect(processState.defaults).to.equal(before);
    });

    it('do not call what withIdempotency is to run', () => {
      let runs = 0;
      expect(() =>
        withIdempotency(wrong, () => {
          runs += 1;
        }),
      ).to.throw(RangeError, `${shown} (withIdempotency)`);

      expect(runs).to.equal(0);
    });
  });
});
