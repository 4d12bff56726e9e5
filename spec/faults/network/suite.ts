import { expect } from 'chai';
import type { DefaultOptions } from '../../../lib/configuration/options.js';
import { deferred } from '../../support/deferred.js';
import type { Engine } from '../../support/engines/engine.js';
import {
  EXTENTS,
  FAULTS,
  type Extent,
  type Fault,
  type FaultDetails,
  type Step,
} from './faults.js';
import type { Item } from './legal-item.js';
import { NetworkBench } from './network-bench.js';
import * as outcomes from './outcomes.js';
import { LEASE_AND_SKEW_MS, type Body, type Scene, type SceneOptions } from './scene.js';

/** What the callers of one key are answered, in their order. */
interface Expectation {
  /** The caller whose requests meet the fault. */
  readonly answer: string;
  /** The next one, once late requests have arrived. */
  readonly next: string;
  /** One that calls when every claim's time, clock skew included, is over. */
  readonly afterwards: string;
  /** How often the method ran in the end. */
  readonly runs: number;
}

const CLAIM_FAILS = 'ERR_IDEMPOTENCY_STORE claim retryable';
const CLAIM_REFUSED = 'ERR_IDEMPOTENCY_STORE claim final';

const onFreeKey: Readonly<Record<outcomes.OutageOutcome, Expectation>> = {
  answered: { answer: 'executed 1', next: 'replayed 1', afterwards: 'replayed 1', runs: 1 },
  fails: { answer: CLAIM_FAILS, next: 'executed 1', afterwards: 'replayed 1', runs: 1 },
  refused: { answer: CLAIM_REFUSED, next: 'executed 1', afterwards: 'replayed 1', runs: 1 },
  blocks: { answer: CLAIM_FAILS, next: 'in-progress', afterwards: 'executed 1', runs: 1 },
  'refused, blocks': {
    answer: CLAIM_REFUSED,
    next: 'in-progress',
    afterwards: 'executed 1',
    runs: 1,
  },
};

const failingOpen: Readonly<Record<outcomes.OpenClaimOutcome, Expectation>> = {
  recorded: { answer: 'executed 1', next: 'replayed 1', afterwards: 'replayed 1', runs: 1 },
  unrecorded: { answer: 'executed 1', next: 'executed 2', afterwards: 'replayed 2', runs: 2 },
  blocks: { answer: 'executed 1', next: 'in-progress', afterwards: 'executed 2', runs: 2 },
  refused: onFreeKey.refused,
};

const completion: Readonly<Record<outcomes.CompletionOutcome, Omit<Expectation, 'answer'>>> = {
  recorded: { next: 'replayed 1', afterwards: 'replayed 1', runs: 1 },
  unheard: { next: 'replayed 1', afterwards: 'replayed 1', runs: 1 },
  later: { next: 'in-progress', afterwards: 'replayed 1', runs: 1 },
  unrecorded: { next: 'in-progress', afterwards: 'executed 2', runs: 2 },
};

const release: Readonly<Record<'freed' | 'stuck', Omit<Expectation, 'answer'>>> = {
  freed: { next: 'executed 2', afterwards: 'replayed 2', runs: 2 },
  stuck: { next: 'in-progress', afterwards: 'executed 2', runs: 2 },
};

/** What the caller got whose key somebody has finished, or is working on, anyway. */
function answerOf(outcome: outcomes.ClaimOutcome, answered: string): string {
  if (outcome === 'answered') return answered;
  return outcome === 'refused' ? CLAIM_REFUSED : CLAIM_FAILS;
}

/**
 * The protocol on a bad network: every fault, on the first and on every request of every step, on the
 * way from the real SDK to a real engine.
 */
export function describeFaultyNetwork(
  start: () => Promise<Engine>,
  traits: { readonly returnsItems: boolean; readonly withholdsItems?: boolean },
): void {
  const bench = new NetworkBench().runs(start);
  const { returnsItems, withholdsItems = false } = traits;

  /** One spec per fault, with a scene per extent. */
  function forEveryFault(
    options: SceneOptions,
    play: (scene: Scene, fault: Fault, extent: Extent) => Promise<void>,
  ): void {
    for (const fault of Object.keys(FAULTS) as Fault[]) {
      it(`${fault}: on the first request, and on every one`, async () => {
        for (const extent of EXTENTS) {
          const scene = await bench.scene({ withholdsItems, ...options });
          try {
            await play(scene, fault, extent);
            expect(scene.network.late, 'late requests').to.equal(0);
            expect(scene.clock.pendingTimers, 'timers').to.equal(0);
          } catch (error) {
            throw inContext(error, `${fault}, ${extent}`);
          } finally {
            scene.close();
          }
        }
      });
    }
  }

  /** A call under the fault and two after it, with all that the table goes through. */
  async function play(
    scene: Scene,
    { step, fault, extent, options, body, beforeAfterwards }: Plot,
  ): Promise<Expectation> {
    const { network } = scene;
    const { afterNextCall = false }: FaultDetails = FAULTS[fault];
    const lateArrive = async (): Promise<void> => {
      if (network.late === 0) return;
      await network.letLateArrive();
      await scene.legalItem();
    };
    network.afflict(step, fault, extent);
    const answer = await scene.settled(scene.call(options, body));
    expect(network.hits, 'requests that may meet the fault').to.be.at.least(1);
    network.heal();
    await scene.legalItem();
    if (!afterNextCall) await lateArrive();
    const next = await scene.settled(scene.call());
    await scene.legalItem();
    await lateArrive();
    await beforeAfterwards?.();
    await scene.pass(LEASE_AND_SKEW_MS);
    const afterwards = await scene.settled(scene.call());
    await scene.legalItem();
    return { answer, next, afterwards, runs: scene.runs };
  }

  // F01, F19, F40
  describe('the claim', () => {
    describe('of a free key', () => {
      forEveryFault({}, async (scene, fault, extent) => {
        const expected = onFreeKey[outcomes.outcomeOf(outcomes.claims, fault, extent)];

        expect(await play(scene, { step: 'claim', fault, extent })).to.deep.equal(expected);
      });
    });

    describe('of a free key, and everything after it', () => {
      forEveryFault({}, async (scene, fault, extent) => {
        const expected = onFreeKey[outcomes.outcomeOf(outcomes.outages, fault, extent)];

        expect(await play(scene, { step: 'all', fault, extent })).to.deep.equal(expected);
      });
    });

    describe("of a free key, under onStoreUnavailable: 'run'", () => {
      forEveryFault({}, async (scene, fault, extent) => {
        const expected = failingOpen[outcomes.outcomeOf(outcomes.openClaims, fault, extent)];
        const options: DefaultOptions = { onStoreUnavailable: 'run' };

        const played = await play(scene, { step: 'claim', fault, extent, options });

        expect(played).to.deep.equal(expected);
      });
    });

    describe('of a key whose owner is gone', () => {
      forEveryFault({}, async (scene, fault, extent) => {
        await scene.abandonedClaim();
        const expected = onFreeKey[outcomes.outcomeOf(outcomes.claims, fault, extent)];

        expect(await play(scene, { step: 'claim', fault, extent })).to.deep.equal(expected);
      });
    });

    describe('of a key that is done', () => {
      forEveryFault({}, async (scene, fault, extent) => {
        const outcome = outcomes.outcomeOf(outcomes.claims, fault, extent);

        await expectDoneKeyUntouched(scene, { step: 'claim', fault, extent }, outcome);
      });
    });

    describe('of a key that somebody is working on', () => {
      forEveryFault({}, async (scene, fault, extent) => {
        const outcome = outcomes.outcomeOf(outcomes.claims, fault, extent);

        await expectOwnerUntouched(scene, { step: 'claim', fault, extent }, outcome);
      });
    });
  });

  if (!returnsItems) {
    // F51
    describe('the read after a refused claim', () => {
      describe('of a key that is done', () => {
        forEveryFault({}, async (scene, fault, extent) => {
          const outcome = outcomes.outcomeOf(outcomes.reads, fault, extent);

          await expectDoneKeyUntouched(scene, { step: 'read', fault, extent }, outcome);
        });
      });

      describe('of a key that somebody is working on', () => {
        forEveryFault({}, async (scene, fault, extent) => {
          const outcome = outcomes.outcomeOf(outcomes.reads, fault, extent);

          await expectOwnerUntouched(scene, { step: 'read', fault, extent }, outcome);
        });
      });
    });
  }

  describe('the read before a claim', () => {
    forEveryFault({ readFirst: true }, async (scene, fault, extent) => {
      const expected = onFreeKey[outcomes.outcomeOf(outcomes.readsBeforeClaims, fault, extent)];

      expect(await play(scene, { step: 'read', fault, extent })).to.deep.equal(expected);
    });
  });

  describe('the renewal', () => {
    describe('of a claim whose run ends in time', () => {
      forEveryFault({}, async (scene, fault, extent) => {
        const gate = deferred();
        const body = async (run: number): Promise<void> => {
          if (run > 1) return;
          scene.clock.setTimer(gate.resolve, 21_000);
          await gate.promise;
        };

        const played = await play(scene, { step: 'renew', fault, extent, body });

        expect(played).to.deep.equal(onFreeKey.answered);
        expect(scene.events).not.to.include('claim-lost');
      });
    });

    // F07
    describe('of a claim whose run outlives its first lease', () => {
      forEveryFault({}, async (scene, fault, extent) => {
        const kept = outcomes.outcomeOf(outcomes.renewals, fault, extent) === 'kept';
        const gate = deferred();

        scene.network.afflict('renew', fault, extent);
        const call = scene.call({}, () => gate.promise);
        await scene.pass(LEASE_AND_SKEW_MS);
        const rival = await scene.settled(scene.call());
        const before = await scene.legalItem();
        gate.resolve();
        const answer = await scene.settled(call);
        const between = await scene.legalItem();
        await scene.network.letLateArrive();
        const after = await scene.legalItem();
        scene.network.heal();
        const next = await scene.settled(scene.call());

        expect({ rival, answer, next, runs: scene.runs }).to.deep.equal(
          kept
            ? { rival: 'in-progress', answer: 'executed 1', next: 'replayed 1', runs: 1 }
            : {
                rival: 'executed 2',
                answer: 'ERR_IDEMPOTENCY_CLAIM_LOST with result 1',
                next: 'replayed 2',
                runs: 2,
              },
        );
        expect(after).to.deep.equal(between);
        if (!kept) expect(between).to.deep.equal(before);
      });
    });
  });

  // F01, F03
  describe('the completion', () => {
    const answers: Readonly<Record<'return' | 'throw', string>> = {
      return: 'executed 1',
      throw: 'ERR_IDEMPOTENCY_STORE complete with result 1',
    };
    for (const onCompletionFailure of ['return', 'throw'] as const) {
      describe(`under onCompletionFailure: '${onCompletionFailure}'`, () => {
        forEveryFault({}, async (scene, fault, extent) => {
          const outcome = outcomes.outcomeOf(outcomes.completions, fault, extent);
          const told = outcome !== 'recorded';
          const answer = told ? answers[onCompletionFailure] : 'executed 1';
          const options: DefaultOptions = { onCompletionFailure };

          const played = await play(scene, { step: 'complete', fault, extent, options });

          const sameForAnyCause = played.answer.replace(/complete (retryable|final)/, 'complete');
          expect({ ...played, answer: sameForAnyCause }).to.deep.equal({
            ...completion[outcome],
            answer,
          });
          expect(scene.events.includes('completion-failed'), 'told').to.equal(told);
          expect(scene.events).not.to.include('released');
        });
      });
    }
  });

  // F01, F43
  describe('the release', () => {
    forEveryFault({}, async (scene, fault, extent) => {
      const expected = release[outcomes.outcomeOf(outcomes.releases, fault, extent)];
      const body = (run: number): void => {
        if (run === 1) throw new Error('no stock');
      };

      const played = await play(scene, { step: 'release', fault, extent, body });

      expect(played).to.deep.equal({ ...expected, answer: 'no stock' });
    });
  });

  async function expectDoneKeyUntouched(
    scene: Scene,
    plot: Plot,
    outcome: outcomes.ClaimOutcome,
  ): Promise<void> {
    await scene.settled(scene.call());
    const done = await scene.legalItem();

    const played = await play(scene, plot);

    expect(played).to.deep.equal({
      answer: answerOf(outcome, 'replayed 1'),
      next: 'replayed 1',
      afterwards: 'replayed 1',
      runs: 1,
    });
    expect(scene.lastItem).to.deep.equal(done);
  }

  async function expectOwnerUntouched(
    scene: Scene,
    plot: Plot,
    outcome: outcomes.ClaimOutcome,
  ): Promise<void> {
    const gate = deferred();
    const owner = scene.call({}, () => gate.promise);
    await scene.quiet();
    const claim = await scene.legalItem();
    let later: Item | undefined;

    const beforeAfterwards = async (): Promise<void> => {
      later = await scene.legalItem();
      gate.resolve();
      expect(await scene.settled(owner), "the owner's answer").to.equal('executed 1');
    };
    const played = await play(scene, { ...plot, beforeAfterwards });

    expect(later).to.deep.equal(claim);
    expect(played).to.deep.equal({
      answer: answerOf(outcome, 'in-progress'),
      next: 'in-progress',
      afterwards: 'replayed 1',
      runs: 1,
    });
  }
}

interface Plot {
  readonly step: Step | 'all';
  readonly fault: Fault;
  readonly extent: Extent;
  readonly options?: DefaultOptions;
  readonly body?: Body;
  readonly beforeAfterwards?: () => Promise<void>;
}

/** Which of the scenes it was: a spec goes through several. */
function inContext(error: unknown, context: string): unknown {
  if (error instanceof Error) {
    error.message = `${context}: ${error.message}`;
  }
  return error;
}
