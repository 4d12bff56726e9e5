import 'reflect-metadata';
import { expect } from 'chai';
import { Idempotent } from '../../../lib/decorator/idempotent.js';
import { IdStore } from '../support.js';

/** A framework's parameter decorator: it leaves entries under the class and the method's name. */
function Body(): (target: object, name: string | symbol, index: number) => void {
  return (target, name, index) => {
    Reflect.defineMetadata('body', index, target.constructor, name);
  };
}

describe('Idempotent with legacy decorators', () => {
  // F20
  it('refuses arrow-function properties when the class is defined, and says what to do', () => {
    const define = (): unknown => {
      class Orders {
        // @ts-expect-error legacy decorators get no hold of a property's value
        @Idempotent({ ttl: 60 })
        pay = async (): Promise<void> => Promise.resolve();
      }
      return Orders;
    };

    expect(define).to.throw(
      TypeError,
      /got a property; .*Write it as a method.*"experimentalDecorators".*\(@Idempotent on Orders\.pay\)$/u,
    );
  });

  it('refuses parameters', () => {
    const define = (): unknown => {
      class Orders {
        async pay(
          // @ts-expect-error a parameter is no method
          @Idempotent({ ttl: 60 }) amount: number,
        ): Promise<number> {
          return Promise.resolve(amount);
        }
      }
      return Orders;
    };

    expect(define).to.throw(TypeError, /got a parameter/u);
  });

  // F59
  it('refuses methods whose emitted return type can be no promise', () => {
    const returning = (annotate: unknown): (() => unknown) => {
      const target: object = {};
      Reflect.defineMetadata('design:returntype', annotate, target, 'total');
      const decorate = Idempotent({ namespace: 'n' }) as unknown as (...args: unknown[]) => unknown;
      return () => decorate(target, 'total', { value: () => undefined });
    };
    class Thenable {
      then(): void {
        return;
      }
    }

    for (const type of [String, Number, Boolean, Array, Map, Date, Symbol]) {
      expect(returning(type), type.name).to.throw(
        TypeError,
        new RegExp(`got one that returns ${type.name}; make it return a promise`, 'u'),
      );
    }
    for (const type of [Object, undefined, Promise, Thenable]) {
      expect(returning(type), String(type)).not.to.throw();
    }
  });

  // F59
  it('reads the return type that the compiler emits', () => {
    const define = (): unknown => {
      class Orders {
        // @ts-expect-error a number is no promise
        @Idempotent()
        total(): number {
          return 1;
        }
      }
      return Orders;
    };

    expect(define).to.throw(TypeError, /returns Number; .*\(@Idempotent on Orders\.total\)/u);
  });

  // F72
  it('leaves the entries of parameter decorators where they are', async () => {
    const store = new IdStore();
    class Controller {
      @Idempotent({ key: (body) => body.id, store })
      async create(@Body() body: { id: string }): Promise<string> {
        return Promise.resolve(body.id);
      }
    }

    expect(await new Controller().create({ id: 'c1' })).to.equal('c1');
    expect(Reflect.getMetadata('body', Controller, 'create')).to.equal(0);
    expect(Reflect.getMetadata('design:paramtypes', Controller.prototype, 'create')).to.deep.equal([
      Object,
    ]);
  });
});
