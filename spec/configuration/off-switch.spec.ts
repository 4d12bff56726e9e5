import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import { isEnabled } from '../../lib/configuration/off-switch.js';
import { processState } from '../../lib/configuration/process-state.js';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { warningsDuring } from '../decorator/support.js';
import { expectRejection } from '../support/expect-rejection.js';

const VARIABLE = 'MAYFLY_IDEMPOTENCY_DISABLED';

describe('the off switch', () => {
  beforeEach(() => {
    processState.warnings.delete('disabled');
  });

  afterEach(() => {
    Reflect.deleteProperty(process.env, VARIABLE);
  });

  const set = (value: string | undefined): void => {
    if (value === undefined) Reflect.deleteProperty(process.env, VARIABLE);
    else process.env[VARIABLE] = value;
  };

  describe(VARIABLE, () => {
    // F31
    for (const value of [undefined, '', '0', 'false', 'no', 'off', 'False', 'NO', 'OFF']) {
      it(`leaves protection on where it is ${JSON.stringify(value)}`, async () => {
        set(value);
        const warnings = await warningsDuring(() => {
          expect(isEnabled(undefined)).to.equal(true);
        });

        expect(warnings).to.deep.equal([]);
      });
    }

    // F31
    for (const value of ['1', 'true', 'yes', 'on', 'TRUE', 'Yes', 'ON']) {
      it(`switches protection off where it is ${JSON.stringify(value)}`, async () => {
        set(value);
        await warningsDuring(() => {
          expect(isEnabled(undefined)).to.equal(false);
        });
      });
    }

    // F31
    for (const value of [
      'ture',
      '2',
      '-1',
      'null',
      'undefined',
      ' ',
      'true ',
      'disabled',
      'toString',
    ]) {
      it(`is refused where it is ${JSON.stringify(value)}`, () => {
        set(value);

        expect(() => isEnabled(undefined)).to.throw(
          RangeError,
          `Expected ${VARIABLE} to be 1, true, yes, on, 0, false, no, off or empty, got ${JSON.stringify(value)}`,
        );
      });
    }

    it('rejects calls whose switch is misspelt, without a run', async () => {
      set('ture');
      let runs = 0;

      await expectRejection(
        runIdempotent('o1', () => {
          runs += 1;
        }),
        RangeError,
      );
      expect(runs).to.equal(0);
    });

    it('gives way to `enabled` in defaults, either way', async () => {
      set('1');
      expect(isEnabled(true)).to.equal(true);
      set('0');
      await warningsDuring(() => {
        expect(isEnabled(false)).to.equal(false);
      });
    });
  });

  describe('switched off', () => {
    const calls: string[] = [];
    const touched = (what: string) => (): never => {
      calls.push(what);
      throw new Error(what);
    };
    const store = {
      claim: touched('claim'),
      renew: touched('renew'),
      complete: touched('complete'),
      release: touched('release'),
      get: touched('get'),
      forget: touched('forget'),
    };
    let runs = 0;
    const charge = makeIdempotent(
      async (order: { id: string }) => {
        runs += 1;
        return Promise.resolve(`${order.id} charged`);
      },
      {
        namespace: 'charge',
        key: touched('key'),
        fingerprint: touched('fingerprint'),
        store: touched('store'),
      },
    );

    beforeEach(() => {
      calls.length = 0;
      runs = 0;
    });

    const ways: Readonly<Record<string, (fn: () => Promise<void>) => Promise<void>>> = {
      'by the environment': async (fn) => {
        set('true');
        await fn();
      },
      'by configureIdempotency': async (fn) => {
        const restore = configureIdempotency({ enabled: false });
        await fn().finally(restore);
      },
      'by withIdempotency': (fn) => withIdempotency({ enabled: false }, fn),
    };
    for (const [way, off] of Object.entries(ways)) {
      // F31
      it(`runs every time, asks neither key nor store, and warns once: ${way}`, async () => {
        const warnings = await warningsDuring(() =>
          off(async () => {
            expect(await charge({ id: 'o1' })).to.equal('o1 charged');
            expect(await charge({ id: 'o1' })).to.equal('o1 charged');
          }),
        );

        expect(runs).to.equal(2);
        expect(calls).to.deep.equal([]);
        expect(warnings.map(({ code }) => code)).to.deep.equal(['MAYFLY_DISABLED']);
      });
    }

    // F31
    it('touches no store that is given as it is, and opens none on a table', async () => {
      const former = processState.openDynamoDBStore;
      processState.openDynamoDBStore = touched('client');
      try {
        await warningsDuring(() =>
          withIdempotency({ enabled: false }, async () => {
            const executed = { status: 'executed', result: 'done' };
            expect(await runIdempotent('o1', () => 'done', { store })).to.deep.equal(executed);
            expect(await runIdempotent('o1', () => 'done', { table: 't' })).to.deep.equal(executed);
          }),
        );
      } finally {
        if (former === undefined) delete processState.openDynamoDBStore;
        else processState.openDynamoDBStore = former;
      }

      expect(calls).to.deep.equal([]);
    });

    it("passes the method's own error on", async () => {
      const failure = new Error('declined');
      await warningsDuring(async () => {
        const call = withIdempotency({ enabled: false }, () =>
          runIdempotent('o1', () => Promise.reject(failure)),
        );
        expect(await expectRejection(call)).to.equal(failure);
      });
    });
  });

  it('is on again where a nearer place says so', async () => {
    const store = new MemoryStore();
    set('1');
    await withIdempotency({ enabled: true, store }, () => runIdempotent('o1', () => 'done'));

    expect(store.size).to.equal(1);
  });
});
