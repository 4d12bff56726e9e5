import { expect } from 'chai';
import { Idempotent } from '../../lib/decorator/idempotent.js';

/** The decorator as a compiler of either dialect calls it; what types forbid is to fail at run time. */
const decorate = (...args: readonly unknown[]): unknown =>
  (Idempotent() as unknown as (...given: readonly unknown[]) => unknown)(...args);

const bare = Idempotent as unknown as (...args: readonly unknown[]) => unknown;

async function method(): Promise<void> {
  return Promise.resolve();
}

const context = (kind: string, name: string | symbol = 'member') => ({
  kind,
  name,
  static: false,
  private: false,
  metadata: {},
});

describe('Idempotent on what it cannot protect', () => {
  describe('with both dialects', () => {
    // F20
    it('refuses getters, naming class, member and what is supported', () => {
      const define = (): unknown => {
        class Price {
          // @ts-expect-error a getter is no method
          @Idempotent()
          get total(): number {
            return Number(this);
          }
        }
        return Price;
      };

      expect(define).to.throw(
        TypeError,
        /^Expected a method.*got an? (getter|accessor); supported are methods.*\(@Idempotent on (Price\.)?total\)$/u,
      );
    });

    it('refuses setters', () => {
      const define = (): unknown => {
        class Price {
          // @ts-expect-error a setter is no method
          @Idempotent()
          set total(_value: number) {
            return;
          }
        }
        return Price;
      };

      expect(define).to.throw(TypeError, /got an? (setter|accessor)/u);
    });

    it('refuses classes and points to @IdempotencyDefaults', () => {
      const define = (): unknown => {
        // @ts-expect-error a class is no method
        @Idempotent()
        class Orders {}
        return Orders;
      };

      expect(define).to.throw(
        TypeError,
        /got a class; .*@IdempotencyDefaults \(@Idempotent on Orders\)/u,
      );
    });

    it('refuses generators', () => {
      const define = (): unknown => {
        class Pages {
          // @ts-expect-error a generator returns no promise
          @Idempotent()
          *all(): Generator<number> {
            yield 1;
          }
        }
        return Pages;
      };
      const defineAsync = (): unknown => {
        class Pages {
          // @ts-expect-error an async generator returns no promise
          @Idempotent()
          async *all(): AsyncGenerator<number> {
            yield Promise.resolve(1);
          }
        }
        return Pages;
      };

      expect(define).to.throw(TypeError, /got a generator/u);
      expect(defineAsync).to.throw(TypeError, /got an async generator/u);
    });

    it('refuses to be used without parentheses', () => {
      const define = (): unknown => {
        class Orders {
          // @ts-expect-error it is a factory
          @Idempotent
          async place(): Promise<void> {
            return Promise.resolve();
          }
        }
        return Orders;
      };

      expect(define).to.throw(TypeError, /write @Idempotent\(\) .*\(@Idempotent on place\)/u);
    });

    it('refuses Lambda streaming handlers', () => {
      const streaming = Object.assign(async () => Promise.resolve(), {
        [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response',
      });

      expect(() => decorate(streaming, context('method'))).to.throw(
        TypeError,
        /streaming handler/u,
      );
      expect(() => decorate({}, 'handle', { value: streaming })).to.throw(
        TypeError,
        /streaming handler/u,
      );
    });

    it('refuses a method twice', () => {
      const define = (): unknown => {
        class Orders {
          @Idempotent()
          @Idempotent()
          async place(): Promise<void> {
            return Promise.resolve();
          }
        }
        return Orders;
      };

      expect(define).to.throw(TypeError, /idempotent already/u);
    });
  });

  describe('called as standard decorators are', () => {
    for (const kind of ['getter', 'setter', 'accessor', 'class']) {
      it(`refuses the kind ${kind}`, () => {
        expect(() => decorate(method, context(kind))).to.throw(
          TypeError,
          new RegExp(`got an? ${kind}; .*\\(@Idempotent on member\\)`, 'u'),
        );
      });
    }

    it('refuses a property that holds no function when it is initialised', () => {
      const initialise = decorate(undefined, context('field', 'pay')) as (
        value: unknown,
      ) => unknown;

      expect(() => initialise(3)).to.throw(TypeError, /got a number \(@Idempotent on pay\)/u);
      expect(() => initialise(undefined)).to.throw(TypeError, /got undefined/u);
    });

    it('refuses to be used without parentheses', () => {
      expect(() => bare(method, context('method', 'pay'))).to.throw(
        TypeError,
        /parentheses \(@Idempotent on pay\)/u,
      );
      expect(() => bare(undefined, context('field', 'pay'))).to.throw(TypeError, /parentheses/u);
    });
  });

  describe('called as legacy decorators are', () => {
    class Orders {}

    // F20
    it('refuses properties and says what to do', () => {
      const expected =
        /got a property; .*Write it as a method.*"experimentalDecorators".*makeIdempotent\(fn, options\) \(@Idempotent on Orders\.pay\)$/u;

      expect(() => decorate(Orders.prototype, 'pay')).to.throw(TypeError, expected);
      expect(() => decorate(Orders.prototype, 'pay', undefined)).to.throw(TypeError, expected);
      expect(() => decorate(Orders.prototype, 'pay', { initializer: () => method })).to.throw(
        TypeError,
        expected,
      );
    });

    it('refuses parameters, those of constructors too', () => {
      expect(() => decorate(Orders.prototype, 'pay', 0)).to.throw(
        TypeError,
        /got a parameter; .*\(@Idempotent on pay\)/u,
      );
      expect(() => decorate(Orders, undefined, 0)).to.throw(
        TypeError,
        /got a parameter; .*\(@Idempotent on the constructor\)/u,
      );
    });

    it('refuses classes', () => {
      expect(() => decorate(Orders)).to.throw(
        TypeError,
        /got a class; .*\(@Idempotent on Orders\)/u,
      );
    });

    it('refuses to be used without parentheses', () => {
      expect(() => bare(Orders.prototype, 'pay', { value: method })).to.throw(
        TypeError,
        /parentheses \(@Idempotent on pay\)/u,
      );
      expect(() => bare(Orders)).to.throw(TypeError, /parentheses \(@Idempotent on Orders\)/u);
    });
  });

  describe('called as neither dialect does', () => {
    for (const [what, args] of [
      ['no arguments', []],
      ['the descriptor of an early proposal', [{ kind: 'method', key: 'pay', descriptor: {} }]],
      ['a name without a target', [undefined, 'pay', { value: method }]],
      ['a descriptor without a value', [{}, 'pay', {}]],
    ] as const) {
      it(`names the tsconfig switch: ${what}`, () => {
        expect(() => decorate(...args)).to.throw(
          TypeError,
          /legacy decorator \(target, name, descriptor\).*standard one \(method, context\).*"experimentalDecorators"/u,
        );
      });
    }
  });
});
