import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { systemClock } from '../../lib/time/clock.js';

describe('systemClock', () => {
  // Node's timers take 2^31 - 1 ms at most; beyond, they warn and fire at once. A lease of three
  // months would be renewed a thousand times a second.
  it('takes delays of months', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', onWarning);

    const timer = systemClock.setTimer(() => undefined, 2 ** 31);
    await setImmediate();

    timer.cancel();
    process.off('warning', onWarning);
    expect(warnings).to.deep.equal([]);
  });

  // A clock of somebody's own counts timers by wrapping those of this one.
  it('gives timers that may be spread and taken apart', () => {
    const pending = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = pending();

    const timer = { ...systemClock.setTimer(() => undefined, 60_000) };

    const { cancel, unref } = systemClock.setTimer(() => undefined, 60_000);

    expect(pending()).to.equal(before + 2);
    timer.cancel();
    expect(pending()).to.equal(before + 1);
    unref();
    expect(pending()).to.equal(before);
    cancel();
  });
});
