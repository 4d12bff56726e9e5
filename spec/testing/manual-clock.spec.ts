import { expect } from 'chai';
import { manualClock } from '../../lib/testing/manual-clock.js';
import { pause } from '../../lib/time/clock.js';
import { expectRejection } from '../support/expect-rejection.js';

describe('manualClock', () => {
  it('stands still until it is moved', async () => {
    const clock = manualClock(1000);

    expect(clock.now()).to.equal(1000);
    await clock.advance(250);
    expect(clock.now()).to.equal(1250);
  });

  it('starts ahead of the real clock by default', () => {
    expect(manualClock().now()).to.equal(Date.UTC(2030, 0, 1));
  });

  it('fires timers in the order in which they fall due, each at its moment', async () => {
    const clock = manualClock(0);
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name} at ${String(clock.now())}`);
    clock.setTimer(note('c'), 300);
    clock.setTimer(note('a'), 100);
    clock.setTimer(note('b1'), 200);
    clock.setTimer(note('b2'), 200);
    clock.setTimer(note('d'), 301);

    await clock.advance(300);

    expect(fired).to.deep.equal(['a at 100', 'b1 at 200', 'b2 at 200', 'c at 300']);
    expect(clock.pendingTimers).to.equal(1);
  });

  it('lets promise jobs run before, between and after timers', async () => {
    const clock = manualClock(0);
    const reached: number[] = [];
    const work = (async () => {
      await Promise.resolve();
      for (let step = 0; step < 3; step++) {
        await pause(clock, 100);
        for (let job = 0; job < 50; job++) await Promise.resolve();
        reached.push(clock.now());
      }
    })();

    await clock.advance(300);

    expect(reached).to.deep.equal([100, 200, 300]);
    await work;
  });

  it('only lets promise jobs run when no time passes', async () => {
    const clock = manualClock(0);
    const fired: string[] = [];
    clock.setTimer(() => fired.push('timer'), 0);
    void Promise.resolve().then(() => fired.push('job'));

    await clock.advance(0);
    expect(fired).to.deep.equal(['job']);

    await clock.advance(1);
    expect(fired).to.deep.equal(['job', 'timer']);
  });

  it('does not fire a cancelled timer', async () => {
    const clock = manualClock(0);
    let fired = 0;
    const timer = clock.setTimer(() => fired++, 100);
    const other = clock.setTimer(() => {
      fired++;
      other.cancel();
    }, 50);

    timer.cancel();
    await clock.advance(1000);

    expect(fired).to.equal(1);
    expect(clock.pendingTimers).to.equal(0);
  });

  it('tells which pending timers keep the process alive', () => {
    const clock = manualClock();
    clock.setTimer(() => undefined, 1);
    clock.setTimer(() => undefined, 1).unref();

    expect(clock.pendingTimers).to.equal(2);
    expect(clock.referencedTimers).to.equal(1);
  });

  it('steps the time of day both ways without time passing', async () => {
    const clock = manualClock(10_000);
    const fired: number[] = [];
    clock.setTimer(() => fired.push(clock.now()), 100);

    clock.set(5000);
    await clock.advance(99);
    expect(fired).to.deep.equal([]);
    expect(clock.now()).to.equal(5099);

    clock.set(90_000);
    await clock.advance(1);
    expect(fired).to.deep.equal([90_001]);
  });

  it('adds up to the later end when two moves overlap', async () => {
    const clock = manualClock(0);

    await Promise.all([clock.advance(100), clock.advance(300)]);

    expect(clock.now()).to.equal(300);
  });

  it('refuses what is no number of milliseconds', async () => {
    expect(() => manualClock(NaN)).to.throw(TypeError, 'Expected `startMs`');
    expect(() => {
      manualClock().set(Infinity);
    }).to.throw(TypeError, 'Expected `epochMs`');
    await expectRejection(manualClock().advance(NaN), TypeError);
    await expectRejection(manualClock().advance(-1), RangeError);
  });
});
