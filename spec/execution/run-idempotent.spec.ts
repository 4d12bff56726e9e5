import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { withIdempotency } from '../../lib/configuration/with-idempotency.js';
import { IdempotencyKeyError } from '../../lib/errors/index.js';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import { MemoryStore } from '../../lib/store/memory-store.js';
import { IdStore } from '../decorator/support.js';
import { deferred } from '../support/deferred.js';
import { expectRejection } from '../support/expect-rejection.js';
import { Harness } from './harness.js';

const sha256 = (text: string): string =>
  `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('runIdempotent', () => {
  let store: IdStore;

  beforeEach(() => {
    store = new IdStore();
  });

  it('says executed with the result, then replayed with the time', async () => {
    const harness = new Harness();
    const first = await harness.call(() => ({ receipt: 1 }));
    const completedAt = new Date(harness.clock.now());
    await harness.clock.advance(1000);
    const second = await harness.call(() => ({ receipt: 2 }));
    harness.dispose();

    expect(first).to.deep.equal({ status: 'executed', result: { receipt: 1 } });
    expect(second).to.deep.equal({ status: 'replayed', result: { receipt: 1 }, completedAt });
  });

  it('says in-progress with the moment to come back, and no word of the key', async () => {
    const harness = new Harness();
    const gate = deferred();
    const first = harness.call(() => gate.promise);
    await harness.clock.advance(0);
    const second = await harness.call(() => undefined);
    gate.resolve();
    await first;
    harness.dispose();

    const until = new Date(harness.clock.now() + 60_000);
    expect(second).to.deep.equal({ status: 'in-progress', until, retryAfterMs: 60_000 });
  });

  it('passes the payload to key and function', async () => {
    const payload = { id: 'o1' };
    const seen: unknown[] = [];
    await runIdempotent(payload, (given) => seen.push(given), { store, key: (given) => given.id });

    expect(seen).to.deep.equal([payload]);
    expect(seen[0]).to.equal(payload);
    expect(store.ids).to.deep.equal(['o1']);
  });

  it('makes a promise of a synchronous throw', async () => {
    const failure = new Error('sync');
    const call = runIdempotent(
      'o1',
      () => {
        throw failure;
      },
      { store },
    );

    expect(await expectRejection(call)).to.equal(failure);
    expect(store.size).to.equal(0);
  });

  it('takes the hash of the payload for the key where none is given, equal for equal payloads', async () => {
    const payloads = [{ b: 1, a: 'x' }, { a: 'x', b: 1, c: undefined }, 'text', ['a', null]];
    for (const payload of payloads) await runIdempotent(payload, () => 1, { store });

    expect(store.ids).to.deep.equal([
      sha256('{"a":"x","b":1}'),
      sha256('{"a":"x","b":1}'),
      sha256('"text"'),
      sha256('["a",null]'),
    ]);
  });

  for (const payload of [undefined, new Map(), 10n, () => 1]) {
    it(`refuses the payload ${inspect(payload)} without a key`, async () => {
      let runs = 0;
      await expectRejection(
        runIdempotent(payload, () => (runs += 1), { store }),
        IdempotencyKeyError,
      );
      expect([runs, store.ids.length]).to.deep.equal([0, 0]);
    });
  }

  it('has the bare key for an id, or the namespace before it', async () => {
    await runIdempotent('o1', () => 1, { store, key: 'k' });
    await runIdempotent('o1', () => 1, { store, key: 'k', namespace: '' });
    await runIdempotent('o1', () => 1, { store, key: 'k', namespace: 'charge' });

    expect(store.ids).to.deep.equal(['k', 'k', 'charge#k']);
  });

  it('takes a bare key with # only where the empty namespace is explicit', async () => {
    await expectRejection(
      runIdempotent('o1', () => 1, { store, key: 'a#b' }),
      IdempotencyKeyError,
    );
    await runIdempotent('o1', () => 1, { store, key: 'a#b', namespace: '' });

    expect(store.ids).to.deep.equal(['a#b']);
  });

  it('takes no namespace from defaults: the key alone tells', async () => {
    await withIdempotency({ namespace: 'ignored' }, () =>
      runIdempotent('o1', () => 1, { store, key: 'k' }),
    );

    expect(store.ids).to.deep.equal(['k']);
  });

  describe('its options', () => {
    for (const [value, shown] of [
      [null, 'null'],
      [5, '5'],
      [[], 'an array'],
      [() => 1, 'a function'],
    ] as const) {
      it(`are refused where they are ${shown}, every time`, async () => {
        for (let time = 0; time < 2; time++) {
          const error = await expectRejection(
            runIdempotent('o1', () => 1, value as object),
            TypeError,
          );
          expect(error.message).to.equal(
            `Expected \`options\` to be an object of options, got ${shown} (runIdempotent)`,
          );
        }
      });
    }

    it('may be left out', async () => {
      const outcome = await withIdempotency({ store }, () => runIdempotent('o1', () => 1));

      expect(outcome.status).to.equal('executed');
    });

    it('are checked once per object', async () => {
      let reads = 0;
      const options = {
        store,
        key: 'k',
        get ttl(): number {
          reads += 1;
          return 60;
        },
      };
      await runIdempotent('o1', () => 1, options);
      const first = reads;
      await runIdempotent('o1', () => 1, options);

      // The second call only compares.
      expect(reads).to.be.below(2 * first);
    });

    it('apply as they are at the call, also when an object is used again with other members', async () => {
      const others = new MemoryStore();
      const options: { store: MemoryStore; key: string; namespace?: string; ttl?: unknown } = {
        store,
        key: 'a',
      };
      const call = () => runIdempotent('o1', () => options.key, options as object);

      expect(await call()).to.include({ status: 'executed', result: 'a' });
      options.key = 'b';
      expect(await call()).to.include({ status: 'executed', result: 'b' });
      options.namespace = 'n';
      expect(await call()).to.include({ status: 'executed' });
      options.store = others;
      expect(await call()).to.include({ status: 'executed' });
      options.ttl = -1;
      await expectRejection(call(), RangeError);
      delete options.ttl;
      expect(await call()).to.include({ status: 'replayed', result: 'b' });

      expect(store.ids).to.deep.equal(['a', 'b', 'n#b']);
      expect(others.size).to.equal(1);
    });
  });

  for (const fn of [undefined, null, {}, 'fn']) {
    it(`refuses ${inspect(fn)} for a function`, async () => {
      const error = await expectRejection(runIdempotent('o1', fn as () => void), TypeError);

      expect(error.message).to.match(
        /^Expected `fn` to be a function, got \w+ \(runIdempotent\)$/u,
      );
    });
  }
});
