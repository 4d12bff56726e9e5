import { expect } from 'chai';
import { deferred } from '../../support/deferred.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import { NetworkBench } from './network-bench.js';
import { CLOCK_SKEW_S, type Scene, type SceneOptions } from './scene.js';

const LEASE_MS = 10_000;
const RENEW_FOR_MS = 60_000;
const methods = { lease: LEASE_MS / 1000, renewFor: RENEW_FOR_MS / 1000, ttl: 2 };
const SKEW_MS = CLOCK_SKEW_S * 1000;

const LOST = 'ERR_IDEMPOTENCY_CLAIM_LOST with result 1';

// F07, F13, F33, F34
describe('a method that outlives its leases', () => {
  const bench = new NetworkBench().runs(startDynalite);
  const open: Scene[] = [];

  async function sceneOn(make: (options: SceneOptions) => Promise<Scene>): Promise<Scene> {
    const scene = await make({ methods });
    open.push(scene);
    return scene;
  }

  afterEach(() => {
    for (const scene of open.splice(0)) scene.close();
  });

  it('keeps its key by renewal, with a ttl far shorter than its run', async () => {
    const scene = await sceneOn((options) => bench.scene(options));
    const gate = deferred();
    const call = scene.call({}, () => gate.promise);
    const rivals = new Set<string>();
    for (let seconds = 0; seconds < 5 * (LEASE_MS / 1000); seconds++) {
      await scene.pass(1000);
      await scene.legalItem();
      rivals.add(await scene.settled(scene.call()));
    }
    gate.resolve();

    expect(await scene.settled(call)).to.equal('executed 1');
    expect([...rivals]).to.deep.equal(['in-progress']);
    expect(await scene.settled(scene.call())).to.equal('replayed 1');
    expect(scene.runs).to.equal(1);
    expect(scene.clock.pendingTimers).to.equal(0);
  });

  it('keeps it until renewFor is over, and loses it a lease and the skew after that', async () => {
    const scene = await sceneOn((options) => bench.scene(options));
    const gate = deferred();
    const call = scene.call({}, () => gate.promise);

    await scene.pass(RENEW_FOR_MS);
    expect(await scene.settled(scene.call())).to.equal('in-progress');
    await scene.pass(LEASE_MS + SKEW_MS);
    expect(scene.events).to.include('renewal-ended');
    expect(scene.clock.pendingTimers, 'timers').to.equal(0);
    expect(await scene.settled(scene.call())).to.equal('executed 2');
    const successors = await scene.legalItem();
    gate.resolve();

    expect(await scene.settled(call)).to.equal(LOST);
    expect(await scene.legalItem()).to.deep.equal(successors);
    expect(await scene.settled(scene.call())).to.equal('replayed 2');
  });

  describe('in a process that stops', () => {
    it('loses its key when lease and skew are over, and not before', async () => {
      const stopped = await sceneOn((options) => bench.scene(options));
      const gate = deferred();
      const call = stopped.call({}, () => gate.promise);
      await stopped.quiet();
      const other = await sceneOn((options) => bench.otherProcess(stopped, options));

      await other.pass(LEASE_MS + SKEW_MS);
      expect(await other.settled(other.call())).to.equal('in-progress');
      await other.pass(1);
      expect(await other.settled(other.call())).to.equal('executed 1');
      const successors = await other.legalItem();
      gate.resolve();

      expect(await stopped.settled(call)).to.equal(LOST);
      expect(await other.legalItem()).to.deep.equal(successors);
      expect(await other.settled(other.call())).to.equal('replayed 1');
    });

    it('has the time of its last renewal, not of its claim', async () => {
      const stopped = await sceneOn((options) => bench.scene(options));
      const gate = deferred();
      const call = stopped.call({}, () => gate.promise);
      await stopped.pass(25_000);
      const renewedMs = stopped.clock.now() - (25_000 % Math.floor(LEASE_MS / 3));
      const other = await sceneOn((options) => bench.otherProcess(stopped, options));

      await other.pass(renewedMs + LEASE_MS + SKEW_MS - other.clock.now());
      expect(await other.settled(other.call())).to.equal('in-progress');
      await other.pass(1);
      expect(await other.settled(other.call())).to.equal('executed 1');
      gate.resolve();

      expect(await stopped.settled(call)).to.equal(LOST);
    });

    it('finds out by its next renewal that it has lost it, and renews no more', async () => {
      const frozen = await sceneOn((options) => bench.scene(options));
      const gate = deferred();
      const call = frozen.call({}, () => gate.promise);
      await frozen.quiet();
      const other = await sceneOn((options) => bench.otherProcess(frozen, options));
      await other.pass(LEASE_MS + SKEW_MS + 1);
      const othersGate = deferred();
      const taken = other.call({}, () => othersGate.promise);
      await other.quiet();
      const successors = await other.legalItem();

      await frozen.pass(LEASE_MS);
      expect(frozen.events).to.include('claim-lost');
      expect(frozen.clock.pendingTimers, 'timers').to.equal(0);
      expect(await other.legalItem()).to.deep.equal(successors);
      gate.resolve();
      othersGate.resolve();

      expect(await frozen.settled(call)).to.equal(LOST);
      expect(await other.settled(taken)).to.equal('executed 1');
    });

    it('keeps its key where it comes back before anybody has asked for it', async () => {
      const frozen = await sceneOn((options) => bench.scene(options));
      const gate = deferred();
      const call = frozen.call({}, () => gate.promise);
      await frozen.quiet();
      const other = await sceneOn((options) => bench.otherProcess(frozen, options));
      await other.pass(3 * LEASE_MS);

      await frozen.pass(3 * LEASE_MS);
      expect(await other.settled(other.call())).to.equal('in-progress');
      gate.resolve();

      expect(await frozen.settled(call)).to.equal('executed 1');
      expect(await other.settled(other.call())).to.equal('replayed 1');
    });
  });
});
