import { expect } from 'chai';
import { deferred } from '../../support/deferred.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import type { Extent, Step } from './faults.js';
import { NetworkBench } from './network-bench.js';
import { LEASE_AND_SKEW_MS, type Scene } from './scene.js';

/** The moments at which a request that everybody has given up may still arrive. */
describe('a request that arrives late', () => {
  const bench = new NetworkBench().runs(startDynalite);
  let scene: Scene;

  beforeEach(async () => {
    scene = await bench.scene();
  });

  afterEach(() => {
    expect(scene.network.late).to.equal(0);
    expect(scene.clock.pendingTimers).to.equal(0);
    scene.close();
  });

  function delay(step: Step, extent: Extent): void {
    scene.network.afflict(step, 'delayed past the timeout, applied late', extent);
  }

  async function arrive(): Promise<void> {
    expect(scene.network.late).to.be.at.least(1);
    scene.network.heal();
    await scene.network.letLateArrive();
  }

  it('changes nothing where it is a claim whose repetition is running', async () => {
    delay('claim', 'the first request');
    const gate = deferred();
    const call = scene.call({}, () => gate.promise);
    await scene.pass(30_000);
    const before = await scene.legalItem();

    await arrive();

    expect(await scene.legalItem()).to.deep.equal(before);
    gate.resolve();
    expect(await scene.settled(call)).to.equal('executed 1');
  });

  it('blocks the key for a lease where it is a claim whose repetition was released', async () => {
    delay('claim', 'the first request');
    const call = scene.call({}, () => {
      throw new Error('no stock');
    });
    expect(await scene.settled(call)).to.equal('no stock');

    await arrive();

    expect(await scene.legalItem()).to.include({ status: 'INPROGRESS' });
    await scene.pass(LEASE_AND_SKEW_MS - 2);
    expect(await scene.settled(scene.call())).to.equal('in-progress');
    await scene.pass(2);
    expect(await scene.settled(scene.call())).to.equal('executed 2');
  });

  it('changes nothing where it is a claim and another call has the key by now', async () => {
    delay('claim', 'every request');
    expect(await scene.settled(scene.call())).to.equal('ERR_IDEMPOTENCY_STORE claim retryable');
    scene.network.heal();
    const gate = deferred();
    const next = scene.call({}, () => gate.promise);
    await scene.quiet();
    const before = await scene.legalItem();

    await arrive();

    expect(await scene.legalItem()).to.deep.equal(before);
    gate.resolve();
    expect(await scene.settled(next)).to.equal('executed 1');
  });

  it('changes nothing where it is a completion and the key was taken over', async () => {
    delay('complete', 'every request');
    expect(await scene.settled(scene.call())).to.equal('executed 1');
    scene.network.heal();
    await scene.pass(LEASE_AND_SKEW_MS);
    const gate = deferred();
    const successor = scene.call({}, () => gate.promise);
    await scene.quiet();
    const before = await scene.legalItem();

    await arrive();

    expect(await scene.legalItem()).to.deep.equal(before);
    gate.resolve();
    expect(await scene.settled(successor)).to.equal('executed 2');
    expect(await scene.settled(scene.call())).to.equal('replayed 2');
  });

  it('changes nothing where it is a release and the key was taken over', async () => {
    delay('release', 'every request');
    const call = scene.call({}, () => {
      throw new Error('no stock');
    });
    expect(await scene.settled(call)).to.equal('no stock');
    scene.network.heal();
    await scene.pass(LEASE_AND_SKEW_MS);
    const gate = deferred();
    const successor = scene.call({}, () => gate.promise);
    await scene.quiet();
    const before = await scene.legalItem();

    await arrive();

    expect(await scene.legalItem()).to.deep.equal(before);
    gate.resolve();
    expect(await scene.settled(successor)).to.equal('executed 2');
  });

  it('brings nothing back where it is a renewal and the claim was released', async () => {
    delay('renew', 'every request');
    const gate = deferred();
    const call = scene.call({}, () => gate.promise);
    await scene.pass(50_000);
    gate.reject(new Error('no stock'));
    expect(await scene.settled(call)).to.equal('no stock');

    await arrive();

    expect(await scene.legalItem()).to.equal(undefined);
  });

  it('does not shorten the claim where it is a renewal and a later one was faster', async () => {
    delay('renew', 'the first request');
    const gate = deferred();
    const call = scene.call({}, () => gate.promise);
    await scene.pass(50_000);
    const before = await scene.legalItem();

    await arrive();

    expect(await scene.legalItem()).to.deep.equal(before);
    gate.resolve();
    expect(await scene.settled(call)).to.equal('executed 1');
  });
});
