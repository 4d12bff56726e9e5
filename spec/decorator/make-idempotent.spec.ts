import { expect } from 'chai';
import { makeIdempotent } from '../../lib/decorator/make-idempotent.js';
import { expectRejection } from '../support/expect-rejection.js';
import { IdStore, warningCodesDuring } from './support.js';

describe('makeIdempotent', () => {
  let store: IdStore;

  beforeEach(() => {
    store = new IdStore();
  });

  it("runs once per key, under the function's name", async () => {
    let runs = 0;
    async function chargeCard(orderId: string): Promise<string> {
      runs += 1;
      return Promise.resolve(`charged ${orderId}`);
    }
    const charge = makeIdempotent(chargeCard, { key: (id) => id, store: () => store });

    expect(await charge('o1')).to.equal('charged o1');
    expect(await charge('o1')).to.equal('charged o1');

    expect(runs).to.equal(1);
    expect(store.ids).to.deep.equal(['chargeCard#o1', 'chargeCard#o1']);
  });

  it('percent-encodes the name', async () => {
    const named = { 'a#b': async () => Promise.resolve() }['a#b'];

    await makeIdempotent(named, { key: 'k', store })();

    expect(store.ids).to.deep.equal(['a%23b#k']);
  });

  // F67
  it('keeps this, arguments, name, length and properties', async () => {
    async function withThis(this: { readonly owner: string }, a: number, b: number) {
      return Promise.resolve(`${this.owner} ${String(a + b)}`);
    }
    const wrapped = makeIdempotent(Object.assign(withThis, { version: 2 }), { store: () => store });

    expect(wrapped).to.include({ name: 'withThis', length: 2, version: 2 });
    expect(await wrapped.call({ owner: 'ada' }, 1, 2)).to.equal('ada 3');
  });

  it('needs `namespace` for an unnamed function, when it is made', async () => {
    expect(() => makeIdempotent(async () => Promise.resolve(), { key: 'k' })).to.throw(
      TypeError,
      /`namespace`.*the function has no name \(makeIdempotent\(\)\)/u,
    );

    await makeIdempotent(async () => Promise.resolve(), { key: 'k', namespace: '', store })();

    expect(store.ids).to.deep.equal(['k']);
  });

  it('warns of a name that looks minified', async () => {
    const qz = async (): Promise<void> => Promise.resolve();
    const wrapped = makeIdempotent(qz, { key: 'k', store });

    expect(await warningCodesDuring(() => wrapped())).to.deep.equal(['MAYFLY_MINIFIED_NAME']);
  });

  it('checks its options and says where', () => {
    const place = async (): Promise<void> => Promise.resolve();

    expect(() => makeIdempotent(place, { ttl: NaN })).to.throw(
      RangeError,
      /`ttl`.*\(makeIdempotent\(place\)\)$/u,
    );
    expect(() => makeIdempotent(place, 'key' as never)).to.throw(TypeError, /`options`/u);
  });

  it('refuses what is no function whose result can be recorded', () => {
    const make = makeIdempotent as unknown as (fn: unknown, options?: object) => unknown;

    expect(() => make(undefined)).to.throw(TypeError, /got undefined \(makeIdempotent\(\)\)/u);
    expect(() => make(class Order {})).to.throw(
      TypeError,
      /got a class \(makeIdempotent\(Order\)\)/u,
    );
    expect(() =>
      make(function* pages() {
        yield 1;
      }),
    ).to.throw(TypeError, /got a generator/u);
    expect(() => make(make(async function once() {}))).to.throw(TypeError, /idempotent already/u);
  });

  it('rejects where no store is found', async () => {
    const error = await expectRejection(
      makeIdempotent(async function lonely() {}, { key: 'k' })(),
      TypeError,
    );

    expect(error.message).to.match(/No idempotency store \(makeIdempotent\(lonely\)\)/u);
  });
});
