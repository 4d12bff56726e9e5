import { expect } from 'chai';
import { Harness } from '../execution/harness.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

describe('an operator', () => {
  let harness: Harness;

  beforeEach(() => {
    harness = new Harness();
  });

  afterEach(() => {
    harness.dispose();
  });

  // F90
  it('sees a record by its id and removes it: the next call runs again', async () => {
    await harness.call(() => 'first', { namespace: 'charge' });
    expect(await harness.memory.get('charge#o1')).to.include({
      status: 'COMPLETED',
      result: '"first"',
    });

    expect(await harness.memory.forget('charge#o1')).to.equal(true);
    expect(await harness.memory.forget('charge#o1')).to.equal(false);

    const again = await harness.call(() => 'second', { namespace: 'charge' });
    expect(again).to.deep.equal({ status: 'executed', result: 'second' });
  });

  // F90
  it('removes no running call unless by force; its caller then hears of it with its result', async () => {
    const gate = deferred<string>();
    const call = harness.call(() => gate.promise);
    await harness.clock.advance(0);

    expect(await harness.memory.forget('o1')).to.equal(false);
    expect((await harness.call(() => 'second')).status).to.equal('in-progress');
    expect(await harness.memory.forget('o1', { force: true })).to.equal(true);
    gate.resolve('done');

    expect(await expectRejection(call)).to.include({
      code: 'ERR_IDEMPOTENCY_CLAIM_LOST',
      result: 'done',
    });
    expect(harness.memory.size).to.equal(0);
  });

  // F90
  it('finds the id on every error of ours', async () => {
    const gate = deferred();
    const call = harness.call(() => gate.promise, { fingerprint: () => 1 });
    await harness.clock.advance(0);

    const error = await expectRejection(harness.call(() => undefined, { fingerprint: () => 2 }));
    expect(error).to.include({ id: 'o1' });
    gate.resolve();
    await call;
  });

  // F92
  it('who wants exclusion but no output in the table names a codec that keeps none', async () => {
    const codec = { name: 'none', encode: () => undefined, decode: () => undefined };
    await harness.call<unknown>(() => 'confidential', { codec });

    const record = await harness.memory.get('o1');
    expect(record).to.include({ status: 'COMPLETED' }).and.not.have.property('result');
    expect(await harness.call<unknown>(() => 'again', { codec })).to.deep.include({
      status: 'replayed',
      result: undefined,
    });
  });
});
