import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { keyOfArguments, keyOfPayload } from '../../lib/keys/default-key.js';
import { fingerprintOfValue } from '../../lib/keys/fingerprint.js';
import { expectKeyError } from './expect-key-error.js';

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

describe('keyOfArguments', () => {
  it('hashes the canonical JSON of the array of arguments', () => {
    const key = keyOfArguments([{ b: 1, a: 'é' }, 5]);

    expect(key).to.equal(`sha256:${sha256('[{"a":"é","b":1},5]')}`);
  });

  it('drops trailing undefined arguments, and those alone', () => {
    const args = ['o1', undefined, undefined];

    expect(keyOfArguments(args)).to.equal(keyOfArguments(['o1']));
    expect(args).to.have.length(3);
    expect(keyOfArguments(['o1', undefined, 1])).to.equal(keyOfArguments(['o1', null, 1]));
    expect(keyOfArguments(['o1', null])).not.to.equal(keyOfArguments(['o1']));
  });

  it('drops undefined members and takes null, blank strings and false as they are', () => {
    expect(keyOfArguments([{ a: undefined, b: 1 }])).to.equal(keyOfArguments([{ b: 1 }]));
    expect(keyOfArguments([{ a: null }])).not.to.equal(keyOfArguments([{}]));
    for (const value of [null, '', false, {}, [], 'undefined']) {
      expect(keyOfArguments([value])).to.equal(`sha256:${sha256(JSON.stringify([value]))}`);
    }
  });

  // F04
  it('refuses a call without an argument that JSON can show', () => {
    for (const args of [
      [],
      [undefined],
      [undefined, undefined],
      [(): number => 1],
      [Symbol('s')],
    ]) {
      const error = expectKeyError(() => keyOfArguments(args, 'Orders.place'));

      expect(error.reason).to.equal(
        'There is no argument to make a key from: give a `key` function',
      );
      expect(error).to.include({ missing: true, method: 'Orders.place' });
    }
  });

  it('refuses what JSON cannot tell apart, as unusable', () => {
    const error = expectKeyError(() => keyOfArguments([{}, { at: [2 ** 60] }], 'Orders.place'));

    expect(error.reason).to.match(/^`arguments\[1\]\.at\[0\]` is a number beyond 2\^53/);
    expect(error).to.include({ missing: false, method: 'Orders.place' });
    expect(expectKeyError(() => keyOfArguments([Number.NaN])).missing).to.equal(false);
  });
});

describe('keyOfPayload', () => {
  it('hashes the canonical JSON of the payload itself', () => {
    expect(keyOfPayload({ b: [1], a: null })).to.equal(`sha256:${sha256('{"a":null,"b":[1]}')}`);
    expect(keyOfPayload(null)).to.equal(`sha256:${sha256('null')}`);
  });

  it('refuses a payload that is missing or that JSON cannot tell apart', () => {
    const missing = expectKeyError(() => keyOfPayload(undefined, 'runIdempotent'));
    const unusable = expectKeyError(() => keyOfPayload({ ids: new Set() }, 'runIdempotent'));

    expect(missing).to.include({ missing: true, method: 'runIdempotent' });
    expect(unusable).to.include({ missing: false, method: 'runIdempotent' });
    expect(unusable.reason).to.match(/^`payload\.ids` is a Set/);
  });
});

describe('fingerprintOfValue', () => {
  it('is the hex SHA-256 of the canonical JSON', () => {
    expect(fingerprintOfValue({ b: 1, a: 2 })).to.equal(sha256('{"a":2,"b":1}'));
  });

  it('refuses undefined and what JSON cannot tell apart', () => {
    for (const value of [undefined, new Map()]) {
      const error = expectKeyError(() => fingerprintOfValue(value, 'Orders.place'));

      expect(error.reason).to.match(/^`fingerprint` /);
      expect(error).to.include({ missing: false, method: 'Orders.place' });
    }
  });
});
