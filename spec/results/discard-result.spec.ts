import { expect } from 'chai';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { Idempotent } from '../../lib/decorator/idempotent.js';
import { discardResult } from '../../lib/results/discard-result.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { warningsDuring } from '../decorator/support.js';

describe('discardResult', () => {
  // F92
  it('records the call without its result, and repeats resolve to undefined', async () => {
    const store = new MemoryStore();
    let runs = 0;
    const send = makeIdempotent(
      async (id: string): Promise<string | undefined> => {
        runs += 1;
        return Promise.resolve(`secret of ${id}`);
      },
      { key: (id) => id, namespace: 'send', codec: discardResult, store },
    );

    const warnings = await warningsDuring(async () => {
      expect(await send('m1')).to.equal('secret of m1');
      expect(await send('m1')).to.equal(undefined);
      expect(await send('m1')).to.equal(undefined);
    });

    expect(runs).to.equal(1);
    const record = await store.get('send#m1');
    expect(record).to.include({ status: 'COMPLETED' });
    expect(record).to.not.have.any.keys('result', 'encoding', 'resultOmitted');
    expect(warnings).to.deep.equal([]);
  });

  it('still excludes calls that come while the first one runs', async () => {
    const store = new MemoryStore();
    const send = makeIdempotent(
      async (id: string): Promise<void> => {
        await second(id);
      },
      { key: (id) => id, namespace: 'send', codec: discardResult, store },
    );
    const codes: unknown[] = [];
    const second = (id: string): Promise<void> =>
      send(id).catch((error: unknown) => {
        codes.push((error as { code?: unknown }).code);
      });

    await send('m1');

    expect(codes).to.deep.equal(['ERR_IDEMPOTENCY_IN_PROGRESS']);
  });

  it('is for results that may be undefined; the compiler refuses it for others', () => {
    class Mailer {
      @Idempotent({ key: (id) => id, codec: discardResult })
      async nothing(_id: string): Promise<void> {
        return Promise.resolve();
      }
      @Idempotent({ key: (id) => id, codec: discardResult })
      async perhaps(_id: string): Promise<Date | undefined> {
        return Promise.resolve(undefined);
      }
      @Idempotent({ codec: discardResult })
      async unknown(): Promise<unknown> {
        return Promise.resolve(1);
      }
      // @ts-expect-error repeats have no string
      @Idempotent({ codec: discardResult })
      async text(): Promise<string> {
        return Promise.resolve('');
      }
      // @ts-expect-error repeats have no order
      @Idempotent({ ttl: 60, codec: discardResult })
      static async order(): Promise<{ id: string } | null> {
        return Promise.resolve(null);
      }
    }

    expect(Mailer).to.be.a('function');
  });
});
