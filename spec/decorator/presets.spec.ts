import { expect } from 'chai';
import { IdempotencyDefaults } from '../../lib/decorator/idempotency-defaults.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
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
