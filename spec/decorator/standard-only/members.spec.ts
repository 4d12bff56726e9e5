import { expect } from 'chai';
import { Idempotent } from '../../../lib/decorator/idempotent.js';
import { IdempotencyDefaults } from '../../../lib/decorator/idempotency-defaults.js';
import { getIdempotentOptions } from '../../../lib/decorator/idempotent-options.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { IdStore, warningCodesDuring } from '../support.js';

describe('Idempotent with standard decorators', () => {
  let store: IdStore;
  let runs: string[];

  beforeEach(() => {
    store = new IdStore();
    runs = [];
  });

  // F05
  it('protects private methods, apart from public ones of the same name', async () => {
    class Vault {
      @Idempotent({ key: 'k', store: () => store })
      async #turn(): Promise<string> {
        runs.push('private');
        return Promise.resolve('private');
      }
      @Idempotent({ key: 'k', store: () => store })
      static async #turnAll(): Promise<string> {
        runs.push('static private');
        return Promise.resolve('static private');
      }
      @Idempotent({ key: 'k', store: () => store })
      async turn(): Promise<string> {
        return `public ${await this.#turn()} ${await Vault.#turnAll()}`;
      }
      async twice(): Promise<string[]> {
        return [await this.#turn(), await this.#turn()];
      }
    }
    class SafeVault extends Vault {}

    await new Vault().turn();
    expect(await new SafeVault().twice()).to.deep.equal(['private', 'private']);

    expect(runs).to.deep.equal(['private', 'static private']);
    expect(store.ids).to.deep.equal([
      'Vault.turn#k',
      'Vault.%23turn#k',
      'Vault.static.%23turnAll#k',
      'Vault.%23turn#k',
      'Vault.%23turn#k',
    ]);
  });

  it('warns of a private name that looks minified', async () => {
    class MinifiedMember {
      @Idempotent({ key: 'k', store: () => store })
      async #a(): Promise<void> {
        return Promise.resolve();
      }
      async run(): Promise<void> {
        return this.#a();
      }
    }

    expect(await warningCodesDuring(() => new MinifiedMember().run())).to.deep.equal([
      'MAYFLY_MINIFIED_NAME',
    ]);
  });

  // F20
  it('protects arrow-function properties, one record for all instances', async () => {
    class Till {
      constructor(readonly name: string) {}
      @Idempotent({ key: (e) => e.id, store: () => store })
      readonly pay = async (_event: { id: string }): Promise<string> => {
        runs.push(this.name);
        return Promise.resolve(this.name);
      };
      @Idempotent({ key: 'k', store: () => store })
      static readonly count = async (): Promise<number> => Promise.resolve(1);
    }
    const [first, second] = [new Till('first'), new Till('second')];
    const { pay } = second;

    expect(await first.pay({ id: 'o1' })).to.equal('first');
    expect(await pay({ id: 'o1' })).to.equal('first');
    expect(await pay({ id: 'o2' })).to.equal('second');
    await Till.count();

    expect(first.pay).to.include({ name: 'pay', length: 1 });
    expect(first.pay).not.to.equal(second.pay);
    expect(runs).to.deep.equal(['first', 'second']);
    expect(store.ids).to.deep.equal([
      'Till.pay#o1',
      'Till.pay#o1',
      'Till.pay#o2',
      'Till.static.count#k',
    ]);
    expect(await warningCodesDuring(() => new Till('third').pay({ id: 'o3' }))).to.deep.equal([]);
  });

  it('knows the class of a property that is called without its instance', async () => {
    class Kiosk {
      @Idempotent({ key: 'k', store: () => store })
      readonly sell = async (): Promise<void> => Promise.resolve();
    }
    const { sell } = new Kiosk();

    await Reflect.apply(sell, undefined, []);

    expect(store.ids).to.deep.equal(['Kiosk.sell#k']);
  });

  it('finds options of private members and properties', () => {
    class Desk {
      @Idempotent({ ttl: 1 })
      async #secret(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ ttl: 2 })
      readonly open = async (): Promise<void> => this.#secret();
    }

    expect(getIdempotentOptions(Desk, '#secret')).to.deep.equal({ ttl: 1 });
    expect(getIdempotentOptions(Desk, 'open')).to.deep.equal({ ttl: 2 });
    expect(getIdempotentOptions(new Desk(), 'open')).to.deep.equal({ ttl: 2 });
  });

  it('keeps its class and defaults when a class decorator replaces the class', async () => {
    const replace = <C extends new (...args: never[]) => object>(Original: C): C => {
      const Replacement = class extends (Original as unknown as new () => object) {};
      Object.defineProperty(Replacement, 'name', { value: Original.name });
      return Replacement as unknown as C;
    };
    @IdempotencyDefaults({ store: () => store })
    @replace
    class Replaced {
      @Idempotent({ key: 'k' })
      async run(): Promise<void> {
        return Promise.resolve();
      }
    }

    await new Replaced().run();

    expect(store.ids).to.deep.equal(['Replaced.run#k']);
  });

  describe('of a compiler that gives no class metadata', () => {
    const apply = (value: unknown, options: object, name: string): unknown =>
      (Idempotent(options) as unknown as (...args: unknown[]) => unknown)(value, {
        kind: 'method',
        name,
        static: false,
        private: name.startsWith('#'),
      });

    it('finds the class that holds the method', async () => {
      class Holder {}
      class Heir extends Holder {}
      const run = apply(async () => Promise.resolve(), { key: 'k', store }, 'run') as () => unknown;
      Object.defineProperty(Holder.prototype, 'run', { value: run });

      await Reflect.apply(run, new Heir(), []);

      expect(store.ids).to.deep.equal(['Holder.run#k']);
    });

    it('asks for a namespace where nothing shows the class', async () => {
      class Holder {}
      const run = apply(
        async () => Promise.resolve(),
        { key: 'k', store },
        '#run',
      ) as () => Promise<void>;

      const error = await expectRejection(Reflect.apply(run, new Holder(), []), TypeError);

      expect(error.message).to.match(/set the option `namespace` \(@Idempotent on #run\)/u);
    });
  });
});
