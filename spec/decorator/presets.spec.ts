import { expect } from 'chai';
import type { CallOptions, MethodOptions, NamedStore } from '../../lib/configuration/options.js';
import type { AsyncMethod, IdempotentDecorator } from '../../lib/decorator/decorator-types.js';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import type { IdempotencyStore } from '../../lib/store/idempotency-store.js';
import { IdStore } from './support.js';

describe('a decorator kept in a variable', () => {
  it('decorates methods of any class and any arguments', async () => {
    const store = new IdStore();
    const stored = IdempotencyDefaults({ store });
    const hourly = Idempotent({ ttl: 3600 });

    @stored
    class PresetLetters {
      @hourly
      async send(letter: string): Promise<string> {
        return Promise.resolve(letter);
      }
    }
    @stored
    class PresetParcels {
      @hourly
      static async send(weight: number, express?: boolean): Promise<{ weight: number }> {
        return Promise.resolve({ weight: express === true ? 0 : weight });
      }
    }

    expect(await new PresetLetters().send('a')).to.equal('a');
    expect(await PresetParcels.send(2)).to.deep.equal({ weight: 2 });
    expect(store.ids.map((id) => id.slice(0, id.indexOf('#')))).to.deep.equal([
      'PresetLetters.send',
      'PresetParcels.static.send',
    ]);
  });

  it('is a compile error where the method returns no promise', () => {
    const hourly = Idempotent({ ttl: 3600 });
    // Not called: with reflect-metadata the decorator refuses such a method itself.
    const define = (): unknown => {
      class PresetCounts {
        // @ts-expect-error it returns no promise
        @hourly
        count(letter: string): number {
          return letter.length;
        }
      }
      return PresetCounts;
    };

    expect(define).to.be.a('function');
  });
});

/** A decorator of somebody's own that passes its options on. */
function passedOn<This, M extends AsyncMethod>(
  options?: MethodOptions<This, Parameters<M>, Awaited<ReturnType<M>>>,
): IdempotentDecorator<This, M> {
  return Idempotent<This, M>(options);
}

/** One that brings a store. */
const ids = new IdStore();
function onIds<This, M extends AsyncMethod>(
  options?: CallOptions<This, Parameters<M>, Awaited<ReturnType<M>>> & NamedStore<IdempotencyStore>,
): IdempotentDecorator<This, M> {
  return Idempotent<This, M>({ store: ids, ...options });
}

describe('a generic decorator around Idempotent', () => {
  it('takes the types of its options from the method', async () => {
    class WrappedLetters {
      @passedOn({ key: (letter) => letter.toUpperCase(), store: ids })
      async send(letter: string): Promise<string> {
        return Promise.resolve(letter);
      }
      @onIds({ key: (letter) => letter.length, recordResultIf: (sent) => sent.weight > 0 })
      async weigh(letter: string): Promise<{ weight: number }> {
        return Promise.resolve({ weight: letter.length });
      }
    }

    const letters = new WrappedLetters();
    expect(await letters.send('a')).to.equal('a');
    expect(await letters.weigh('four')).to.deep.equal({ weight: 4 });
    expect(ids.ids).to.deep.equal(['WrappedLetters.send#A', 'WrappedLetters.weigh#4']);
  });
});
