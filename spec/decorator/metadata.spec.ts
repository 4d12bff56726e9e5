import 'reflect-metadata';
import { expect } from 'chai';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { getIdempotentOptions } from '../../lib/decorator/idempotent-options.js';
import { dialect, IdStore } from './support.js';

/** A framework's decorator, for either dialect: it leaves an entry on the method itself. */
function Route(path: string) {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- takes what either compiler hands it
  return (...args: any[]): any => {
    const [value, second, descriptor] = args as [unknown, unknown, PropertyDescriptor | undefined];
    const method = (typeof second === 'object' ? value : descriptor?.value) as object;
    Reflect.defineMetadata('route', path, method);
    Object.defineProperty(method, Symbol.for(`own ${path}`), { value: path });
    Object.assign(method, { lastRoute: path });
  };
}

/** What a second, empty copy of the polyfill does to the first one's entries. */
function withReflect<T>(replaced: Partial<typeof Reflect>, run: () => T): T {
  const original = { ...Object.getOwnPropertyDescriptors(Reflect) };
  try {
    Object.assign(Reflect, replaced);
    return run();
  } finally {
    Object.defineProperties(Reflect, original);
  }
}

const NOT_LOADED = {
  defineMetadata: undefined,
  getOwnMetadata: undefined,
  getOwnMetadataKeys: undefined,
} as unknown as Partial<typeof Reflect>;

describe('metadata of decorated methods', () => {
  // F72
  it('of other decorators survive, whatever the order', () => {
    class Controller {
      @Route('/below')
      @Idempotent()
      async above(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent()
      @Route('/above')
      async below(): Promise<void> {
        return Promise.resolve();
      }
      @Route('/outer')
      @Idempotent()
      @Route('/inner')
      static async both(): Promise<void> {
        return Promise.resolve();
      }
    }
    const { above, below } = Controller.prototype;

    expect(Reflect.getMetadata('route', above)).to.equal('/below');
    expect(Reflect.getMetadata('route', below)).to.equal('/above');
    expect(Reflect.getMetadata('route', Controller.both)).to.equal('/outer');
    expect(below).to.include({ lastRoute: '/above', [Symbol.for('own /above')]: '/above' });
    expect(Object.keys(below)).to.deep.equal(['lastRoute']);
    expect(Controller.both).to.include({ [Symbol.for('own /inner')]: '/inner' });
  });

  // F72: Nest's applyDecorators passes one descriptor through and drops what decorators return.
  it('and protection survive decorators that are composed by hand', async () => {
    const store = new IdStore();
    const decorators = [
      Idempotent<Composed, () => Promise<void>>({ key: 'k', store }) as (
        ...args: unknown[]
      ) => unknown,
      Route('/composed') as (...args: unknown[]) => unknown,
    ];
    class Composed {
      async run(): Promise<void> {
        return Promise.resolve();
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Composed.prototype, 'run') ?? {};
    for (const decorate of decorators) decorate(Composed.prototype, 'run', descriptor);
    Object.defineProperty(Composed.prototype, 'run', descriptor);

    await new Composed().run();

    expect(store.ids).to.deep.equal(['Composed.run#k']);
    expect(Reflect.getMetadata('route', Composed.prototype.run)).to.equal('/composed');
  });

  describe('getIdempotentOptions', () => {
    const KEY = 'k';
    const other = Symbol('other');

    class Base {
      @Idempotent({ key: KEY, ttl: 60 })
      async run(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ ttl: 61 })
      async inherited(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ ttl: 62 })
      static async run(): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent()
      async [other](): Promise<void> {
        return Promise.resolve();
      }
      async plain(): Promise<void> {
        return Promise.resolve();
      }
    }
    class Derived extends Base {
      override async run(): Promise<void> {
        return super.run();
      }
    }

    it('returns what a class, a prototype or an instance was given', () => {
      expect(getIdempotentOptions(Base, 'inherited')).to.deep.equal({ ttl: 61 });
      expect(getIdempotentOptions(Base.prototype, 'run')).to.deep.equal({ key: KEY, ttl: 60 });
      expect(getIdempotentOptions(new Base(), 'run')).to.deep.equal({ key: KEY, ttl: 60 });
      expect(getIdempotentOptions(Base, other)).to.deep.equal({});
    });

    it('prefers the static method on a class', () => {
      expect(getIdempotentOptions(Base, 'run')).to.deep.equal({ ttl: 62 });
    });

    it('finds inherited methods, and none that is overridden without a decorator', () => {
      expect(getIdempotentOptions(new Derived(), 'inherited')).to.deep.equal({ ttl: 61 });
      expect(getIdempotentOptions(Derived, 'run')).to.deep.equal({ ttl: 62 });
      expect(getIdempotentOptions(Derived.prototype, 'run')).to.equal(undefined);
      expect(getIdempotentOptions(new Derived(), 'run')).to.equal(undefined);
    });

    it('returns undefined for methods that are not decorated', () => {
      expect(getIdempotentOptions(Base, 'plain')).to.equal(undefined);
      expect(getIdempotentOptions(Base, 'missing')).to.equal(undefined);
      expect(getIdempotentOptions({}, 'toString')).to.equal(undefined);
    });

    // F77
    it('works without reflect-metadata, and when it is loaded before or after', () => {
      const define = () => {
        class Polyfilled {
          @Idempotent({ ttl: 5 })
          async run(): Promise<void> {
            return Promise.resolve();
          }
        }
        return Polyfilled;
      };
      const look = (target: object) => getIdempotentOptions(target, 'run')?.ttl;
      const without = withReflect(NOT_LOADED, () => {
        const Defined = define();
        return { Defined, ttl: look(Defined) };
      });

      const after = define();

      expect(without.ttl).to.equal(5);
      expect(look(without.Defined)).to.equal(5);
      expect(withReflect(NOT_LOADED, () => look(after))).to.equal(5);
      expect(withReflect({ getOwnMetadata: () => undefined }, () => look(after))).to.equal(5);
    });
  });

  // F77
  it('of classes survive the polyfill as well', async () => {
    const store = new IdStore();
    const make = withReflect(NOT_LOADED, () => {
      @IdempotencyDefaults({ store })
      class Late {
        @Idempotent({ key: 'k' })
        async run(): Promise<void> {
          return Promise.resolve();
        }
      }
      return () => new Late();
    });

    await make().run();

    expect(store.ids).to.deep.equal(['Late.run#k']);
  });

  if (dialect() === 'legacy') {
    it('are in reflect-metadata where it is loaded', () => {
      @IdempotencyDefaults({ ttl: 7 })
      class Inspected {
        @Idempotent({ ttl: 8 })
        async run(): Promise<void> {
          return Promise.resolve();
        }
      }

      const options: unknown = Reflect.getMetadata(
        Symbol.for('mayfly-idempotency.options'),
        Inspected.prototype,
        'run',
      );
      const defaults: unknown = Reflect.getMetadata(
        Symbol.for('mayfly-idempotency.class-defaults'),
        Inspected,
      );

      expect(options).to.deep.equal({ ttl: 8 });
      expect(defaults).to.deep.equal({ ttl: 7 });
    });
  }
});
