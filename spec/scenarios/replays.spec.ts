import { expect } from 'chai';
import type { Replay } from '../../lib/configuration/options.js';
import { Harness } from '../execution/harness.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';

describe('a replay', () => {
  let harness: Harness;
  let replays: [result: unknown, replay: Replay][];
  let runs: number;
  const body = (): string => `receipt ${String((runs += 1))}`;
  const onReplay = (result: string, replay: Replay): string => {
    replays.push([result, replay]);
    return result;
  };

  beforeEach(() => {
    harness = new Harness();
    replays = [];
    runs = 0;
  });

  afterEach(() => {
    harness.dispose();
  });

  // F88
  it('is announced once each by onReplay and the event, a fresh run by neither', async () => {
    await harness.call(body, { onReplay });
    expect(replays).to.deep.equal([]);
    expect(harness.types()).to.not.include('replayed');

    await harness.call(body, { onReplay });
    await harness.call(body, { onReplay });

    expect(replays).to.have.lengthOf(2);
    expect(harness.types().filter((type) => type === 'replayed')).to.have.lengthOf(2);
  });

  // F88
  it('tells onReplay the id and both times', async () => {
    await harness.call(body, { onReplay, ttl: 60 });
    const completedAt = new Date(harness.clock.now());
    await harness.clock.advance(5000);
    await harness.call(body, { onReplay, ttl: 60 });

    const expiresAt = new Date(completedAt.getTime() + 60_000);
    expect(replays).to.deep.equal([['receipt 1', { id: 'o1', key: 'o1', completedAt, expiresAt }]]);
  });

  it('gives the caller what onReplay returns, or what its promise resolves to', async () => {
    await harness.call(body);
    const marked = await harness.call(body, { onReplay: (result) => `${result} (again)` });
    const later = await harness.call(body, { onReplay: async () => Promise.resolve('later') });

    expect(marked).to.include({ result: 'receipt 1 (again)' });
    expect(later).to.include({ result: 'later' });
    expect((await harness.memory.get('o1'))?.result).to.equal('"receipt 1"');
  });

  const failures: Readonly<Record<string, (failure: Error) => () => string>> = {
    throws: (failure) => () => {
      throw failure;
    },
    rejects: (failure) => () => Promise.reject(failure) as unknown as string,
  };
  for (const [what, make] of Object.entries(failures)) {
    // F85
    it(`whose onReplay ${what} is rejected with that, and no other is`, async () => {
      await harness.call(body);
      const before = await harness.memory.get('o1');
      const failure = new Error('mine');

      expect(await expectRejection(harness.call(body, { onReplay: make(failure) }))).to.equal(
        failure,
      );

      expect(await harness.memory.get('o1')).to.deep.equal(before);
      expect(await harness.call(body)).to.include({ status: 'replayed', result: 'receipt 1' });
      expect(runs).to.equal(1);
    });
  }

  // F88
  it('of a recorded error is announced by the event alone: there is no result to hand on', async () => {
    const options = { onReplay, recordErrorIf: () => true };
    for (let time = 0; time < 2; time++) {
      await expectRejection(harness.call<string>(() => Promise.reject(new Error('no')), options));
    }

    expect(replays).to.deep.equal([]);
    expect(harness.types()).to.deep.equal(['claimed', 'completed', 'replayed']);
  });

  it('is none where another call still runs', async () => {
    const gate = deferred<string>();
    const first = harness.call(() => gate.promise, { onReplay });
    await harness.clock.advance(0);
    await harness.call(body, { onReplay });
    gate.resolve('done');
    await first;

    expect(replays).to.deep.equal([]);
    expect(harness.types()).to.not.include('replayed');
  });
});
