import { expect } from 'chai';
import { RedisStore, type RedisStoreOptions } from '../../../lib/store/redis/index.js';
import { manualClock } from '../../../lib/testing/index.js';
import { replying, ScriptedGlide, ScriptedIoredis, ScriptedNodeRedis } from './scripted-client.js';

describe('RedisStore options', () => {
  const client = new ScriptedNodeRedis();

  describe('that are wrong', () => {
    const cases: readonly (readonly [unknown, typeof TypeError | typeof RangeError, string])[] = [
      [undefined, TypeError, 'Expected `options` to be an object with a `client`, got undefined'],
      [
        {},
        TypeError,
        'Expected `client` to be a client of node-redis (`evalSha` and `eval`), or of',
      ],
      [{ client: null }, TypeError, 'got null (RedisStore)'],
      [{ client: { evalSha: true, eval: true } }, TypeError, 'got an object (RedisStore)'],
      [
        { client, clientKind: 'ioredis' },
        TypeError,
        'Expected `client` to be a client of ioredis (`evalsha` and `eval`), got an object',
      ],
      [
        { client, clientKind: 'redis' },
        TypeError,
        "`clientKind` to be one of 'node-redis', 'ioredis', 'valkey-glide', got \"redis\"",
      ],
      [
        { client, timeout: -1 },
        RangeError,
        'Expected `timeout` to be a positive number of seconds, got -1 (RedisStore)',
      ],
      [{ client, timeout: 0 }, RangeError, '`timeout` to be a positive number of seconds, got 0'],
      [{ client, timeout: NaN }, RangeError, 'got NaN'],
      [{ client, timeout: 3601 }, RangeError, 'up to 3600, got 3601'],
      [{ client, timeout: '5' }, TypeError, 'got "5"'],
      [{ client, clockSkew: -0.1 }, RangeError, 'a number of seconds, 0 or more, got -0.1'],
      [{ client, clockSkew: Infinity }, RangeError, 'got Infinity'],
      [{ client, clockSkew: 1n }, TypeError, 'got 1n '],
      [
        { client, keyPrefix: 'x'.repeat(513) },
        TypeError,
        'a string of at most 512 bytes, got "xxx',
      ],
      [{ client, keyPrefix: null }, TypeError, 'got null'],
      [{ client, maxResultBytes: 0 }, RangeError, 'a whole number of bytes, 1 to 402653184, got 0'],
      [{ client, maxResultBytes: 1.5 }, RangeError, 'got 1.5'],
      [{ client, maxResultBytes: 402653185 }, RangeError, 'got 402653185'],
      [{ client, maxResultBytes: '1mb' }, TypeError, 'got "1mb"'],
      [{ client, clock: {} }, TypeError, '`clock` to be a clock with `now` and `setTimer`'],
      [{ client, clock: null }, TypeError, 'got null'],
      [{ client, prefix: 'idem' }, TypeError, 'got `prefix` (RedisStore)'],
    ];
    for (const [options, errorClass, message] of cases) {
      it(`throw at construction: ${message}`, () => {
        expect(() => new RedisStore(options as RedisStoreOptions)).to.throw(errorClass, message);
      });
    }
  });

  it('take the bounds themselves', () => {
    const bounds: readonly Partial<RedisStoreOptions>[] = [
      { clockSkew: 0, timeout: 0.001, keyPrefix: '', maxResultBytes: 1 },
      { clockSkew: 3600, timeout: 3600, keyPrefix: 'x'.repeat(512), maxResultBytes: 402653184 },
    ];
    for (const options of bounds) new RedisStore({ ...options, client });
  });

  describe('client', () => {
    const ask = async (client: ScriptedNodeRedis | ScriptedIoredis | ScriptedGlide) => {
      await new RedisStore({ client: client.next(replying(['found'])) }).get('a');
      return client.seen[0]?.method;
    };

    it('is recognised by its methods', async () => {
      expect(await ask(new ScriptedNodeRedis())).to.equal('evalSha');
      expect(await ask(new ScriptedIoredis())).to.equal('evalsha');
      expect(await ask(new ScriptedGlide())).to.equal('customCommand');
    });

    it('may be a function with these methods, as proxies are', async () => {
      const inner = new ScriptedIoredis().next(replying(['found']));
      const wrapper = Object.assign(() => undefined, {
        evalsha: (...args: unknown[]) => inner.evalsha(...args),
        eval: (...args: unknown[]) => inner.eval(...args),
      });

      await new RedisStore({ client: wrapper }).get('a');

      expect(inner.seen).to.have.length(1);
    });

    it('is taken for what clientKind says where it has the methods of several', async () => {
      const node = new ScriptedNodeRedis();
      const io = new ScriptedIoredis().next(replying(['found']));
      const both = {
        evalSha: (...args: unknown[]) => node.evalSha(...args),
        evalsha: (...args: unknown[]) => io.evalsha(...args),
        eval: (...args: unknown[]) => io.eval(...args),
      };

      await new RedisStore({ client: both, clientKind: 'ioredis' }).get('a');

      expect(io.seen[0]?.args).to.include.members([1, 'idempotency:a']);
      expect(node.seen).to.be.empty;
    });
  });

  describe('clock', () => {
    it("is forget's time", async () => {
      const client = new ScriptedNodeRedis().next(replying('removed'));
      const clock = manualClock(1_900_000_000_000);

      await new RedisStore({ client, clock, clockSkew: 2 }).forget('a');

      const [, { arguments: args }] = client.seen[0]?.args as [string, { arguments: string[] }];
      expect(args).to.deep.equal(['', '1899999998000']);
    });
  });
});
