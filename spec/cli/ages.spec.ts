import { expect } from 'chai';
import { age, ago } from '../../lib/cli/ages.js';

describe('age', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5, 'less than 1 s'],
    [999, 'less than 1 s'],
    [1000, '1 s'],
    [12_999, '12 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_199_999, '119 min'],
    [7_200_000, '2 h'],
    [172_799_999, '47 h'],
    [172_800_000, '2 days'],
  ];
  for (const [ms, text] of cases) {
    it(`calls ${ms} ms ${text}`, () => {
      expect(age(ms)).to.equal(text);
    });
  }
});

describe('ago', () => {
  it('calls a moment that is still to come now', () => {
    expect(ago(1001, 1000)).to.equal('just now');
    expect(ago(1000, 13_000)).to.equal('12 s ago');
  });
});
