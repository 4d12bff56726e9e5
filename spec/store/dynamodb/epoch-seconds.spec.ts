import { expect } from 'chai';
import fc from 'fast-check';
import {
  epochSecondsText,
  later,
  msFromEpochSecondsText,
} from '../../../lib/store/dynamodb/epoch-seconds.js';

/** Until the year 9999. */
const timeMs = fc.integer({ min: 0, max: 253_402_300_799_999 });

/** Until the year 2109, where a double still tells thousandths of a millisecond apart. */
const thisCenturyMs = fc.integer({ min: 0, max: 2 ** 42 });

describe('epochSecondsText', () => {
  it('has at most three decimals and loses no millisecond', () => {
    fc.assert(
      fc.property(timeMs, (ms) => {
        const text = epochSecondsText(ms);

        expect(text).to.match(/^\d+(\.\d{1,3})?$/);
        expect(msFromEpochSecondsText(text)).to.equal(ms);
      }),
    );
  });

  it('cuts fractions of a millisecond off', () => {
    expect(epochSecondsText(1_764_581_338_123.9)).to.equal('1764581338.123');
  });
});

describe('msFromEpochSecondsText', () => {
  it('is before a whole millisecond exactly where the text is', () => {
    fc.assert(
      fc.property(thisCenturyMs, fc.integer({ min: 0, max: 999 }), (ms, micros) => {
        const text = `${String(Math.floor(ms / 1000))}.${String(ms % 1000).padStart(3, '0')}${String(micros).padStart(3, '0')}`;

        expect(msFromEpochSecondsText(text)).to.equal(ms);
      }),
    );
  });

  it('knows no time where there is no number', () => {
    for (const text of ['', ' ', 'NaN', 'Infinity', '1s']) {
      expect(msFromEpochSecondsText(text), text).to.equal(undefined);
    }
  });

  it('stays among the moments that a Date can name', () => {
    for (const text of ['1e20', '-1e20', '9.9e125']) {
      expect(new Date(msFromEpochSecondsText(text) ?? NaN).getTime(), text).not.to.be.NaN;
    }
    expect(later(8.64e15, 1000)).to.equal(8.64e15);
  });
});
