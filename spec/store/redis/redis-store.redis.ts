import { expect } from 'chai';
import { IdempotencyRecordError, IdempotencyStoreError } from '../../../lib/errors/index.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import type { Claim, ClaimRequest, Completion } from '../../../lib/store/idempotency-store.js';
import type { RedisStore } from '../../../lib/store/redis/index.js';
import { deferred } from '../../support/deferred.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { ioredis, nodeRedis, type ConnectedClient } from './clients.js';
import { RedisBench } from './redis-bench.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2031, 0, 1) + 123;
/** Room for what passes between a write and a look at it. */
const SLACK_MS = 10_000;

const completion: Completion = {
  status: 'COMPLETED',
  nowMs: NOW_MS,
  ttlMs: HOUR_MS,
  result: '{"n":1}',
};

let ids = 0;

function request(overrides: Partial<ClaimRequest> = {}): ClaimRequest {
  const { nowMs = NOW_MS } = overrides;
  const n = String((ids += 1));
  return {
    ...{ id: `orders#${n}`, token: `token-${n}`, nowMs, ttlMs: HOUR_MS },
    inProgressUntilMs: nowMs + MINUTE_MS,
    onExpiredClaim: 'run',
    ...overrides,
  };
}

async function claimed(store: RedisStore, overrides: Partial<ClaimRequest> = {}): Promise<Claim> {
  const outcome = await store.claim(request(overrides));
  if (!outcome.claimed) throw new Error('The claim was refused');
  return outcome.claim;
}

for (const [name, connect] of Object.entries({ nodeRedis, ioredis })) {
  describe(`Requests of RedisStore through ${name}`, () => {
    const bench = new RedisBench(connect).runs();
    const run = (id: string, body: () => unknown) =>
      runIdempotent({ id }, body, { key: (payload) => payload.id, store: bench.store() });

    /** How many EVALSHA and EVAL the server counts while `work` runs. */
    async function requestsOf(work: () => Promise<unknown>): Promise<[number, number]> {
      const before = [await bench.calls('evalsha'), await bench.calls('eval')] as const;
      await work();
      return [(await bench.calls('evalsha')) - before[0], (await bench.calls('eval')) - before[1]];
    }

    it('are one per operation, and one more where the server sees a script first', async () => {
      await bench.command('SCRIPT', 'FLUSH');

      expect(await requestsOf(() => run('first', () => 1))).to.deep.equal([2, 2]);
      expect(await requestsOf(() => run('second', () => 1))).to.deep.equal([2, 0]);
    });

    it('are one for a replay and one for a running call', async () => {
      await run('placed', () => 'placed');
      expect(await requestsOf(() => run('placed', () => 'again'))).to.deep.equal([1, 0]);

      const gate = deferred();
      const started = deferred();
      const running = run('running', () => {
        started.resolve();
        return gate.promise;
      });
      await started.promise;
      expect(await requestsOf(() => run('running', () => 'again'))).to.deep.equal([1, 0]);
      gate.resolve();
      await running;
    });

    it('are two for a method that throws', async () => {
      const fail = () => run(`failed-${String((ids += 1))}`, () => Promise.reject(new Error('no')));
      await expectRejection(fail());

      expect(await requestsOf(() => expectRejection(fail()))).to.deep.equal([2, 0]);
    });

    it('get through to a server that has forgotten its scripts, whatever the operation', async () => {
      const store = bench.store();
      const flushed = async <T>(work: () => Promise<T>): Promise<T> => {
        await bench.command('SCRIPT', 'FLUSH');
        return work();
      };
      const claim = await flushed(() => claimed(store));

      await flushed(() => store.renew(claim, NOW_MS + HOUR_MS));
      await flushed(() => store.complete(claim, completion));
      expect((await flushed(() => store.get(claim.id)))?.result).to.equal('{"n":1}');
      expect(await flushed(() => store.forget(claim.id))).to.be.true;
      await flushed(() => store.release(claim));
    });
  });
}

describe('RedisStore on a server', () => {
  const bench = new RedisBench(nodeRedis).runs();

  describe('keys', () => {
    const ttlOf = async ({ id }: Pick<Claim, 'id'>) =>
      Number(await bench.command('PTTL', `idempotency:${id}`));
    const clocks = { past: Date.UTC(2001, 0, 1), now: Date.now(), future: Date.UTC(2201, 0, 1) };

    for (const [clock, nowMs] of Object.entries(clocks)) {
      it(`of claims outlive them by a day, by a caller's clock in the ${clock}`, async () => {
        const claim = await claimed(bench.store({ clockSkew: 60 }), { nowMs });

        const expectedMs = HOUR_MS + 2 * MINUTE_MS + DAY_MS;
        expect(await ttlOf(claim)).to.be.within(expectedMs - SLACK_MS, expectedMs);
      });

      it(`of outcomes outlive them by a minute, by a caller's clock in the ${clock}`, async () => {
        const store = bench.store({ clockSkew: 60 });
        const claim = await claimed(store, { nowMs, onExpiredClaim: 'reject' });

        await store.complete(claim, { ...completion, nowMs });

        const expectedMs = HOUR_MS + 2 * MINUTE_MS + MINUTE_MS;
        expect(await ttlOf(claim)).to.be.within(expectedMs - SLACK_MS, expectedMs);
      });
    }

    it('are kept for as much longer as a renewal moves the expiry', async () => {
      const store = bench.store({ clockSkew: 0 });
      const claim = await claimed(store);
      await store.renew(claim, NOW_MS + HOUR_MS / 2);
      expect(await ttlOf(claim)).to.be.within(DAY_MS + HOUR_MS - SLACK_MS, DAY_MS + HOUR_MS);

      await store.renew(claim, NOW_MS + 50 * HOUR_MS);

      const expectedMs = DAY_MS + 50 * HOUR_MS;
      expect(await ttlOf(claim)).to.be.within(expectedMs - SLACK_MS, expectedMs);
    });

    it("of claims under onExpiredClaim: 'reject' are never removed", async () => {
      const store = bench.store();
      const claim = await claimed(store, { onExpiredClaim: 'reject' });
      expect(await ttlOf(claim)).to.equal(-1);

      await store.renew(claim, NOW_MS + DAY_MS);

      expect(await ttlOf(claim)).to.equal(-1);
    });

    it('begin with the prefix and are spelled as the id is', async () => {
      await claimed(bench.store({ keyPrefix: '{shop}:' }), { id: 'a b#é' });

      expect(await bench.command('EXISTS', '{shop}:a b#é')).to.equal(1);
    });
  });

  describe('without memory left', () => {
    afterEach(() => bench.command('CONFIG', 'SET', 'maxmemory', '0'));

    it('makes no new claim, and lets running ones renew, complete and release', async () => {
      const store = bench.store();
      const claims = [
        await claimed(store),
        await claimed(store, { onExpiredClaim: 'reject' }),
        await claimed(store),
      ] as const;
      await bench.command('CONFIG', 'SET', 'maxmemory', '1');

      const error = await expectRejection(store.claim(request()), IdempotencyStoreError);
      expect(error).to.include({ retryable: true, maybeApplied: false });
      expect(error.reason).to.equal('Redis has reached its memory limit');
      expect(error.hint).to.include('noeviction');

      for (const claim of claims) await store.renew(claim, NOW_MS + HOUR_MS);
      await store.complete(claims[0], completion);
      await store.complete(claims[1], { ...completion, result: 'x'.repeat(100_000) });
      await store.release(claims[2]);
      expect((await store.get(claims[0].id))?.result).to.equal('{"n":1}');
      expect((await store.get(claims[1].id))?.result).to.have.length(100_000);
      expect(await store.get(claims[2].id)).to.equal(undefined);
    });
  });

  describe('that takes no large values', () => {
    afterEach(() => bench.command('CONFIG', 'SET', 'proto-max-bulk-len', '512mb'));

    it('keeps results up to maxResultBytes and completes without larger ones', async () => {
      const store = bench.store({ maxResultBytes: 1024 * 1024 });
      await bench.command('CONFIG', 'SET', 'proto-max-bulk-len', '1mb');
      const completed = async (result: string | Uint8Array) => {
        const claim = await claimed(store);
        await store.complete(claim, { ...completion, result, encoding: 'own' });
        return store.get(claim.id);
      };

      for (const fitting of ['x'.repeat(1024 * 1024), new Uint8Array(768 * 1024)]) {
        expect((await completed(fitting))?.result).to.have.length(fitting.length);
      }
      for (const larger of ['€'.repeat(400_000), new Uint8Array(768 * 1024 + 1)]) {
        const record = await completed(larger);
        expect(record).to.include({ status: 'COMPLETED', resultOmitted: 'too-large' });
        expect(record).not.to.have.any.keys('result', 'encoding');
      }
    });
  });

  describe('with something else under the key', () => {
    const wrongType = async (work: (store: RedisStore, id: string) => Promise<unknown>) => {
      const { id } = request();
      await bench.command('SET', `idempotency:${id}`, 'a string');
      return expectRejection(work(bench.store(), id), IdempotencyStoreError);
    };

    it('is refused, and says that it is no record', async () => {
      for (const error of [
        await wrongType((store, id) => store.claim(request({ id }))),
        await wrongType((store, id) => store.get(id)),
        await wrongType((store, id) => store.forget(id, { nowMs: NOW_MS })),
      ]) {
        expect(error).to.include({ retryable: false, maybeApplied: false });
        expect(error.reason).to.equal('the key holds something that is no record');
        expect(error.hint).to.include('keyPrefix');
      }
    });

    it('leaves a hash that is no record, unless it is forced', async () => {
      const { id } = request();
      await bench.command('HSET', `idempotency:${id}`, 'name', 'Ada', 'expires_at_ms', '1');

      await expectRejection(bench.store().claim(request({ id })), IdempotencyRecordError);
      expect(await bench.store().forget(id)).to.be.false;
      expect(await bench.hash(id)).to.deep.equal({ name: 'Ada', expires_at_ms: '1' });
      expect(await bench.store().forget(id, { force: true })).to.be.true;
    });

    const corrupt: Record<string, readonly string[]> = {
      'an unknown version': ['v', '2', 'status', 'COMPLETED'],
      'an unknown status': ['v', '1', 'status', 'DONE', 'expires_at_ms', '1'],
      'an expiry in hexadecimal': ['status', 'COMPLETED', 'expires_at_ms', '0x1'],
      'an expiry before all times': ['status', 'COMPLETED', 'expires_at_ms', '-inf'],
      'an expiry that is no number': ['status', 'COMPLETED', 'expires_at_ms', 'soon'],
      "a claim's end that is no number": ['status', 'INPROGRESS', 'in_progress_until_ms', ''],
      'an omission for no known reason': ['status', 'COMPLETED', 'result_omitted', 'lost'],
      'bytes that are not base64': ['status', 'COMPLETED', 'result_base64', '%%'],
      'an error that is no JSON': ['status', 'FAILED', 'error', '{'],
    };
    for (const [what, fields] of Object.entries(corrupt)) {
      it(`runs no method on a record with ${what}`, async () => {
        const id = `corrupt-${String((ids += 1))}`;
        await bench.command('HSET', `idempotency:${id}`, ...fields);
        let runs = 0;

        await expectRejection(
          runIdempotent({ id }, () => (runs += 1), { key: (p) => p.id, store: bench.store() }),
          IdempotencyRecordError,
        );

        expect(runs).to.equal(0);
        expect(Object.entries(await bench.hash(id)).flat()).to.deep.equal(fields);
      });
    }
  });

  describe('that lets nobody write', () => {
    afterEach(() => bench.command('REPLICAOF', 'NO', 'ONE'));

    it('as a replica says so', async () => {
      await bench.command('REPLICAOF', '127.0.0.1', '1');

      const error = await expectRejection(bench.store().claim(request()), IdempotencyStoreError);

      expect(error).to.include({ retryable: true, maybeApplied: false });
      expect(error.reason).to.equal('the server is a read-only replica');
    });
  });

  describe('that lets a user do less', () => {
    const users: ConnectedClient[] = [];

    after(() => {
      for (const user of users) user.close();
    });

    const userWith = async (...rules: readonly string[]) => {
      await bench.command('ACL', 'SETUSER', 'shop', 'reset', 'on', '>secret', ...rules);
      const user = await nodeRedis({ port: bench.server.port });
      users.push(user);
      await user.command('AUTH', 'shop', 'secret');
      return bench.storeOn(user);
    };

    it('says which permissions are missing', async () => {
      const store = await userWith('~idempotency:*', '+get');

      const error = await expectRejection(store.claim(request()), IdempotencyStoreError);

      expect(error).to.include({ retryable: false, maybeApplied: false });
      expect(error.reason).to.equal('permission is denied');
    });

    it('needs no more permissions than the hint names', async () => {
      await bench.command('SCRIPT', 'FLUSH');
      const store = await userWith(
        '~idempotency:*',
        ...['+@hash', '+@scripting', '+del', '+pexpire', '+pttl'],
      );
      const claim = await claimed(store);
      await store.renew(claim, NOW_MS + DAY_MS);
      await store.complete(claim, completion);
      expect(await store.forget(claim.id)).to.be.true;
      await store.release(await claimed(store));
    });
  });
});

describe('RedisStore on a server with a password', () => {
  const bench = new RedisBench(ioredis, { requirepass: 'secret' }, 'secret').runs();

  it('says that the credentials are not accepted', async () => {
    // node-redis asks for the server's protocol first, and does not connect at all without.
    const stranger = await ioredis({ port: bench.server.port, unconnected: true });
    after(stranger.close);

    const error = await expectRejection(
      bench.storeOn(stranger).claim(request()),
      IdempotencyStoreError,
    );

    expect(error).to.include({ retryable: false, maybeApplied: false });
    expect(error.reason).to.equal('Redis does not accept the credentials');
  });
});
