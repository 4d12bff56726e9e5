import { expect } from 'chai';
import { audit } from './audit.js';
import type { Line } from './journal.js';

const key = 'k';
const start = (t: number, pid: number, attempt: string): Line => {
  return { t, pid, what: 'start', key, attempt, untilMs: t + 1000 };
};
const effect = (t: number, pid: number, attempt: string): Line => {
  return { t, pid, what: 'effect', key, attempt };
};
const completed = (t: number, pid: number, attempt: string): Line => {
  return { t, pid, what: 'completed', key, attempt };
};
const executed = (t: number, pid: number, result: string): Line => {
  return { t, pid, what: 'executed', key, result };
};
const killed = (t: number, pid: number): Line => ({ t, pid, what: 'killed' });
const lost = (t: number, pid: number, result: string): Line => ({
  t,
  pid,
  what: 'lost',
  key,
  result,
});

const first = [start(0, 1, 'a'), effect(100, 1, 'a')];
const second = [
  start(1200, 2, 'b'),
  effect(1300, 2, 'b'),
  completed(1310, 2, 'b'),
  executed(1320, 2, 'b'),
];

describe('the audit of the effects log', () => {
  it('finds nothing in an effect that a crash or a lost claim made happen again', () => {
    for (const excuse of [killed(200, 1), lost(1500, 1, 'a')]) {
      const { faults, figures } = audit([...first, ...second, excuse]);
      expect(faults).to.deep.equal([]);
      expect(figures).to.include({ effects: 2, superseded: 1 });
    }
  });

  const wrong: Readonly<Record<string, readonly [readonly Line[], RegExp]>> = {
    'a second effect without a crash': [[...first, ...second], /without a crash/],
    'a run while the claim of a killed process stands': [
      [...first, killed(200, 1), ...second.map((line) => ({ ...line, t: line.t - 700 }))],
      /500 ms before the claim of a ended/,
    ],
    'a run after the result was recorded': [
      [...second, start(5000, 3, 'c'), effect(5100, 3, 'c'), killed(5200, 3)],
      /c ran although b is recorded/,
    ],
    'callers with different results': [
      [...first, executed(150, 1, 'a'), ...second],
      /callers got 2 results/,
    ],
    'an attempt with two effects': [[...second, effect(1315, 2, 'b')], /has not one effect/],
    'a result without an effect': [[start(0, 1, 'a'), executed(10, 1, 'a')], /has not one effect/],
  };
  for (const [title, [lines, fault]] of Object.entries(wrong)) {
    it(`finds ${title}`, () => {
      expect(audit(lines).faults.join('\n')).to.match(fault);
    });
  }
});
