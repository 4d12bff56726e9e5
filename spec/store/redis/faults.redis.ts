import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { build } from 'esbuild';
import { IdempotencyClaimLostError, IdempotencyStoreError } from '../../../lib/errors/index.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import type { CallOptions } from '../../../lib/configuration/options.js';
import { RedisStore } from '../../../lib/store/redis/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { startRedisServer, type RedisServer } from '../../support/engines/redis-server.js';
import { ioredis, nodeRedis, type ConnectedClient } from './clients.js';
import { CuttingProxy } from './cutting-proxy.js';

interface Payload {
  readonly id: string;
}

let ids = 0;
const fresh = (): Payload => ({ id: `order-${String((ids += 1))}` });

/** Calls with one store and counts the runs. */
class Caller {
  runs = 0;
  readonly store: RedisStore;

  constructor({ client }: ConnectedClient) {
    this.store = new RedisStore({ client });
  }

  call<R>(
    payload: Payload,
    body: () => R | Promise<R>,
    options: CallOptions<undefined, [Payload], R> = {},
  ) {
    return runIdempotent(
      payload,
      () => {
        this.runs += 1;
        return body();
      },
      { key: ({ id }) => id, store: this.store, ...options },
    );
  }
}

for (const [name, connect] of Object.entries({ nodeRedis, ioredis })) {
  describe(`RedisStore through ${name}, when an answer is lost`, () => {
    let server: RedisServer;
    let proxy: CuttingProxy;
    let connected: ConnectedClient;
    let caller: Caller;

    before(async () => {
      server = await startRedisServer();
      proxy = await CuttingProxy.to(server.port);
      connected = await connect({ port: proxy.port });
    });
    after(async () => {
      connected.close();
      proxy.close();
      await server.stop();
    });
    beforeEach('with all scripts known', async () => {
      caller = new Caller(connected);
      await caller.call(fresh(), () => 1);
      await caller.call(fresh(), () => Promise.reject(new Error('no'))).catch(() => undefined);
      caller.runs = 0;
    });

    const losing = async <T>(work: () => Promise<T>): Promise<T> => {
      const before = proxy.lost;
      proxy.loseNextAnswer();
      const value = await work();
      expect(proxy.lost, 'answers lost').to.equal(before + 1);
      return value;
    };

    if (connect === ioredis) {
      it('of a claim, runs once: the client asks again and meets its own claim', async () => {
        const payload = fresh();

        const first = await losing(() => caller.call(payload, () => 'placed'));
        const second = await caller.call(payload, () => 'again');

        expect([first.status, second.status, caller.runs]).to.deep.equal([
          ...['executed', 'replayed'],
          1,
        ]);
      });
    } else {
      it('of a claim, does not run and gives the claim back', async () => {
        const payload = fresh();

        const error = await losing(() =>
          expectRejection(
            caller.call(payload, () => 'placed'),
            IdempotencyStoreError,
          ),
        );

        expect(error).to.include({ operation: 'claim', retryable: true, maybeApplied: true });
        expect(caller.runs).to.equal(0);
        expect(await caller.store.get(payload.id)).to.equal(undefined);
        expect((await caller.call(payload, () => 'placed')).status).to.equal('executed');
      });
    }

    it('of a completion, records the result all the same', async () => {
      const payload = fresh();

      const first = await caller.call(payload, () => {
        proxy.loseNextAnswer();
        return 'placed';
      });
      const second = await caller.call(payload, () => 'again');

      expect(first).to.include({ status: 'executed', result: 'placed' });
      expect(second).to.include({ status: 'replayed', result: 'placed' });
      expect(caller.runs).to.equal(1);
    });

    it("of a release, passes the method's own error on and frees the key", async () => {
      const payload = fresh();
      const own = new Error('declined');

      const error = await expectRejection(
        caller.call(payload, () => {
          proxy.loseNextAnswer();
          return Promise.reject(own);
        }),
      );

      expect(error).to.equal(own);
      expect((await caller.call(payload, () => 'placed')).status).to.equal('executed');
    });

    it('of a renewal, leaves the claim as the renewal made it', async () => {
      const payload = fresh();
      const nowMs = Date.now();
      const claim = { token: 't', inProgressUntilMs: nowMs + 60_000, ...payload, tookOver: false };
      const request = { ...claim, nowMs, ttlMs: 60_000, onExpiredClaim: 'run' } as const;
      await caller.store.claim(request);
      const untilMs = nowMs + 120_000;
      await caller.store.renew(claim, nowMs + 60_000);

      await losing(() => caller.store.renew(claim, untilMs).catch(() => undefined));

      await caller.store.renew(claim, untilMs);
      expect((await caller.store.get(payload.id))?.inProgressUntilMs).to.equal(untilMs);
    });
  });

  describe(`RedisStore through ${name}, when the server dies in mid-run`, () => {
    const during = async (
      config: Readonly<Record<string, string>>,
      work: (server: RedisServer, caller: Caller) => Promise<void>,
    ) => {
      const server = await startRedisServer(config);
      const connected = await connect({ port: server.port });
      try {
        await work(server, new Caller(connected));
      } finally {
        connected.close();
        await server.stop();
      }
    };
    const withLog = { appendonly: 'yes', appendfsync: 'always' };

    it('and has an append-only file: the run is recorded and replayed', async () => {
      await during(withLog, async (server, caller) => {
        const payload = fresh();

        const first = await caller.call(payload, async () => {
          await server.restart();
          const second = await caller.call(payload, () => 'again');
          return second.status;
        });

        expect(first).to.include({ status: 'executed', result: 'in-progress' });
        await server.restart();
        expect(await caller.call(payload, () => 'again')).to.include({
          status: 'replayed',
          result: 'in-progress',
        });
        expect(caller.runs).to.equal(1);
      });
    });

    it('and comes back late: the completion waits for it', async () => {
      await during(withLog, async (server, caller) => {
        const payload = fresh();
        let back: Promise<void> | undefined;

        const first = await caller.call(payload, async () => {
          await server.kill();
          setImmediate(() => {
            back = server.start();
          });
          return 'placed';
        });
        await back;

        expect(first).to.include({ status: 'executed', result: 'placed' });
        expect((await caller.call(payload, () => 'again')).status).to.equal('replayed');
        expect(caller.runs).to.equal(1);
      });
    });

    it('and keeps nothing: a second call runs, and the first one learns that it lost', async () => {
      await during({}, async (server, caller) => {
        const payload = fresh();

        const error = await expectRejection(
          caller.call(payload, async () => {
            await server.restart();
            await caller.call(payload, () => 'second');
            return 'first';
          }),
          IdempotencyClaimLostError,
        );

        expect(error.result).to.equal('first');
        expect(caller.runs).to.equal(2);
        expect(await caller.call(payload, () => 'again')).to.include({ result: 'second' });
      });
    });

    it('and keeps nothing: an outcome is gone, and its key runs again', async () => {
      await during({}, async (server, caller) => {
        const payload = fresh();
        await caller.call(payload, () => 'placed');

        await server.restart();

        expect((await caller.call(payload, () => 'again')).status).to.equal('executed');
        expect(caller.runs).to.equal(2);
      });
    });
  });
}

describe('RedisStore in several processes', () => {
  let server: RedisServer;
  let program: string;

  before(async () => {
    server = await startRedisServer();
    // Bundled once: a compiler in each process takes far longer than the race.
    const { outputFiles } = await build({
      entryPoints: [join(__dirname, 'racing-process.ts')],
      ...({ bundle: true, write: false, platform: 'node', packages: 'external' } as const),
    });
    program = outputFiles[0]?.text ?? '';
  });
  after(() => server.stop());

  it('runs each key in one of them, and gives all of them its result', async function () {
    this.timeout(120_000);
    const keys = 20;
    const racers = ['node-redis', 'ioredis', 'node-redis'].map((client) => racer(client, keys));
    for (const { next } of racers) await next();
    const winners = new Set<number>();

    for (let round = 0; round < 20; round++) {
      for (const { go } of racers) go(round);
      const outcomes = await Promise.all(racers.map(async ({ next }) => outcomeIn(await next())));

      const ran = outcomes.flatMap((outcome) => outcome.ran);
      expect(ran).to.have.length(keys);
      expect(new Set(ran).size).to.equal(keys);
      const got = outcomes.flatMap((outcome) => outcome.got);
      expect(got).to.have.length(keys * racers.length * 2);
      expect(new Set(got).size).to.equal(keys);
      outcomes.forEach((outcome, index) => outcome.ran.length > 0 && winners.add(index));
    }

    for (const { end } of racers) await end();
    expect(winners.size).to.be.above(1);
  });

  function racer(client: string, keys: number) {
    const child = spawn(
      process.execPath,
      ['-e', program, '--', client, String(server.port), String(keys)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      /** The next line that it prints. */
      next: async () => {
        const { done, value } = await lines.next();
        if (done === true) throw new Error('The process ended too early');
        return value;
      },
      go: (round: number) => void child.stdin.write(`${round}\n`),
      end: async () => {
        child.stdin.end();
        await exited;
      },
    };
  }

  function outcomeIn(line: string) {
    return JSON.parse(line) as { readonly ran: string[]; readonly got: string[] };
  }
});
