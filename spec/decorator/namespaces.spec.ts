import { expect } from 'chai';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { expectRejection } from '../support/expect-rejection.js';
import { dialect, IdStore, warningCodesDuring, warningsDuring } from './support.js';

describe('namespaces of decorated methods', () => {
  let store: IdStore;

  beforeEach(() => {
    store = new IdStore();
  });

  // F05
  it('keep methods with equal keys apart', async () => {
    const ship = Symbol('ship');
    class Parcel {
      @Idempotent({ key: 'k', store: () => store })
      async pay(): Promise<string> {
        return Promise.resolve('instance');
      }
      @Idempotent({ key: 'k', store: () => store })
      static async pay(): Promise<string> {
        return Promise.resolve('static');
      }
      @Idempotent({ key: 'k', store: () => store })
      async [ship](): Promise<string> {
        return Promise.resolve('symbol');
      }
      @Idempotent({ key: 'k', store: () => store })
      async 'odd#100%'(): Promise<string> {
        return Promise.resolve('odd');
      }
    }
    class Letter {
      @Idempotent({ key: 'k', store: () => store })
      async pay(): Promise<string> {
        return Promise.resolve('other class');
      }
    }
    const parcel = new Parcel();
    const all = () =>
      Promise.all([
        parcel.pay(),
        Parcel.pay(),
        parcel[ship](),
        parcel['odd#100%'](),
        new Letter().pay(),
      ]);

    const first = await all();
    const second = await all();

    expect(first).to.deep.equal(['instance', 'static', 'symbol', 'odd', 'other class']);
    expect(second).to.deep.equal(first);
    expect(store.ids.slice(0, 5)).to.deep.equal([
      'Parcel.pay#k',
      'Parcel.static.pay#k',
      'Parcel.[ship]#k',
      'Parcel.odd%23100%25#k',
      'Letter.pay#k',
    ]);
  });

  it('are those of the declaring class for inherited methods, static ones too', async () => {
    class Account {
      @Idempotent({ key: 'k', store: () => store })
      async close(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ key: 'k', store: () => store })
      static async audit(): Promise<void> {
        return Promise.resolve();
      }
    }
    class Savings extends Account {
      @Idempotent({ key: 'k', store: () => store })
      async pay(): Promise<void> {
        return Promise.resolve();
      }
    }

    await new Savings().close();
    await Savings.audit();
    await new Account().close();
    await Account.audit();

    expect(store.ids).to.deep.equal([
      'Account.close#k',
      'Account.static.audit#k',
      'Account.close#k',
      'Account.static.audit#k',
    ]);
    expect(store.size).to.equal(2);
  });

  // F05
  it('keep an overriding method and its super call apart', async () => {
    const runs: string[] = [];
    class Invoice {
      @Idempotent({ key: 'k', store: () => store })
      async send(): Promise<string> {
        runs.push('Invoice');
        return Promise.resolve('base');
      }
    }
    class Reminder extends Invoice {
      @Idempotent({ key: 'k', store: () => store })
      override async send(): Promise<string> {
        runs.push('Reminder');
        return `${await super.send()} and more`;
      }
    }
    const reminder = new Reminder();

    expect(await reminder.send()).to.equal('base and more');
    expect(await reminder.send()).to.equal('base and more');

    expect(runs).to.deep.equal(['Reminder', 'Invoice']);
    expect(store.ids).to.deep.equal(['Reminder.send#k', 'Invoice.send#k', 'Reminder.send#k']);
  });

  it('are used as they are when explicit', async () => {
    class Plain {
      @Idempotent({ key: 'k', namespace: 'a namespace', store: () => store })
      async run(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ key: 'bare', namespace: '', store: () => store })
      async bare(): Promise<void> {
        return Promise.resolve();
      }
    }

    await new Plain().run();
    await new Plain().bare();

    expect(store.ids).to.deep.equal(['a namespace#k', 'bare']);
  });

  it('do not depend on who calls first a method that was copied to another class', async () => {
    class Source {
      @Idempotent({ key: 'k', store: () => store })
      async run(): Promise<void> {
        return Promise.resolve();
      }
    }
    class Copy {
      declare run: Source['run'];
    }
    Copy.prototype.run = Source.prototype.run;

    if (dialect() === 'standard') {
      const error = await expectRejection(new Copy().run(), TypeError);
      expect(error.message).to.match(/Called without its instance/u);
      await new Source().run();
    }
    await new Copy().run();

    expect(new Set(store.ids)).to.deep.equal(new Set(['Source.run#k']));
  });

  describe('of a method called without its instance', () => {
    it('are refused only where the class is not known', async () => {
      class Loose {
        @Idempotent({ key: 'k', store: () => store })
        async derived(): Promise<void> {
          return Promise.resolve();
        }
        @Idempotent({ key: 'k', namespace: 'loose', store: () => store })
        async explicit(): Promise<void> {
          return Promise.resolve();
        }
      }
      const { derived, explicit } = Loose.prototype;

      await Reflect.apply(explicit, undefined, []);

      expect(store.ids).to.deep.equal(['loose#k']);
      if (dialect() === 'legacy') {
        await Reflect.apply(derived, undefined, []);
        expect(store.ids).to.deep.equal(['loose#k', 'Loose.derived#k']);
      } else {
        const error = await expectRejection(Reflect.apply(derived, undefined, []), TypeError);
        expect(error.message).to.match(
          /bind it, as in `handler\.handle\.bind\(handler\)`, or set the option `namespace` \(@Idempotent on derived\)/u,
        );
      }
    });

    it('still are the class default', async () => {
      @IdempotencyDefaults({ namespace: 'loosely', store: () => store })
      class Bound {
        @Idempotent({ key: 'k' })
        async run(): Promise<void> {
          return Promise.resolve();
        }
      }
      const { run } = Bound.prototype;

      await Reflect.apply(run, undefined, []);

      expect(store.ids).to.deep.equal(['loosely.run#k']);
    });
  });

  describe('without a name to derive them from', () => {
    it('are refused for a class', async () => {
      const anonymous = (() => {
        class Nameless {
          static readonly name = '';
          @Idempotent({ key: 'k', store: () => store })
          async run(): Promise<void> {
            return Promise.resolve();
          }
          @Idempotent({ key: 'k', namespace: 'named', store: () => store })
          async named(): Promise<void> {
            return Promise.resolve();
          }
        }
        return new Nameless();
      })();

      const error = await expectRejection(anonymous.run(), TypeError);
      await anonymous.named();

      expect(error.message).to.match(/`namespace`.*the class has no name \(@Idempotent on run\)/u);
      expect(store.ids).to.deep.equal(['named#k']);
    });

    it('are refused for a symbol, when the class is defined', () => {
      const nameless = Symbol();
      const define = (): unknown => {
        class Tagged {
          @Idempotent()
          async [nameless](): Promise<void> {
            return Promise.resolve();
          }
        }
        return Tagged;
      };

      expect(define).to.throw(TypeError, /`namespace`.*the symbol has no description/u);
    });
  });

  describe('warnings', () => {
    // F16
    it('tell once of a name that looks minified', async () => {
      class Qx {
        @Idempotent({ key: 'k', store: () => store })
        async run(): Promise<void> {
          return Promise.resolve();
        }
        @Idempotent({ key: 'k', store: () => store })
        async walk(): Promise<void> {
          return Promise.resolve();
        }
      }
      class _Underscored {
        @Idempotent({ key: 'k', store: () => store })
        async run(): Promise<void> {
          return Promise.resolve();
        }
      }

      const seen = await warningsDuring(async () => {
        await new Qx().run();
        await new Qx().run();
        await new Qx().walk();
        await new _Underscored().run();
      });

      expect(seen.map(({ code }) => code)).to.deep.equal([
        'MAYFLY_MINIFIED_NAME',
        'MAYFLY_MINIFIED_NAME',
      ]);
      expect(seen[0]?.message).to.match(/class name Qx.*`namespace` \(@Idempotent on Qx\.run\)/u);
    });

    it('do not come where the namespace is explicit', async () => {
      class Zy {
        @Idempotent({ key: 'k', namespace: 'explicit', store: () => store })
        async run(): Promise<void> {
          return Promise.resolve();
        }
      }

      expect(await warningCodesDuring(() => new Zy().run())).to.deep.equal([]);
    });

    it('tell once when two declarations derive the same', async () => {
      const define = (): { run(): Promise<void> } => {
        class Twin {
          @Idempotent({ key: 'k', store: () => store })
          async run(): Promise<void> {
            return Promise.resolve();
          }
        }
        return new Twin();
      };
      const [first, second] = [define(), define()];

      const one = await warningCodesDuring(async () => {
        await first.run();
        await first.run();
      });
      const two = await warningCodesDuring(async () => {
        await second.run();
        await define().run();
      });

      expect(one).to.deep.equal([]);
      expect(two).to.deep.equal(['MAYFLY_SHARED_NAMESPACE']);
    });
  });
});
