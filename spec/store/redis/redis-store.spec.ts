import { expect } from 'chai';
import { IdempotencyClaimLostError, IdempotencyStoreError } from '../../../lib/errors/index.js';
import type { Claim, ClaimRequest, Completion } from '../../../lib/store/idempotency-store.js';
import { RedisStore } from '../../../lib/store/redis/index.js';
import { scripts } from '../../../lib/store/redis/scripts.js';
import { manualClock } from '../../../lib/testing/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import {
  rejecting,
  replying,
  ScriptedCancellable,
  ScriptedGlide,
  ScriptedIoredis,
  ScriptedNodeRedis,
  scriptMissing,
} from './scripted-client.js';

const nowMs = 1_900_000_000_000;
const request: ClaimRequest = {
  ...{ id: 'orders#1', token: 't1', nowMs, ttlMs: 3_600_000 },
  ...{ inProgressUntilMs: nowMs + 60_000, onExpiredClaim: 'run' },
};
const claim: Claim = { ...request, tookOver: false };
const completion: Completion = { status: 'COMPLETED', nowMs, ttlMs: 1000, result: '1' };
const key = 'idempotency:orders#1';

describe('RedisStore', () => {
  describe('requests', () => {
    const [sha1, source] = [scripts.release.sha1, scripts.release.source];
    const forms = [
      {
        client: new ScriptedNodeRedis(),
        requests: [
          ['evalSha', sha1, { keys: [key], arguments: ['t1'] }],
          ['eval', source, { keys: [key], arguments: ['t1'] }],
        ],
      },
      {
        client: new ScriptedIoredis(),
        requests: [
          ['evalsha', sha1, 1, key, 't1'],
          ['eval', source, 1, key, 't1'],
        ],
      },
      {
        client: new ScriptedGlide(),
        requests: [
          ['customCommand', ['EVALSHA', sha1, '1', key, 't1']],
          ['customCommand', ['EVAL', source, '1', key, 't1']],
        ],
      },
    ];
    for (const { client, requests } of forms) {
      it(`have the form of ${client.constructor.name}`, async () => {
        client.next(scriptMissing, replying('released'), replying('kept'));
        const store = new RedisStore({ client });

        await store.release(claim);
        await store.release(claim);

        const seen = client.seen.map(({ method, args }) => [method, ...args]);
        expect(seen).to.deep.equal([...requests, requests[0]]);
      });
    }

    it('name one key each', () => {
      for (const { source } of Object.values(scripts)) {
        expect(source).not.to.match(/KEYS\[(?!1\])/);
        expect([...source.matchAll(/redis\.call\(\s*'\w+', (?!KEYS\[1\])/g)]).to.be.empty;
      }
    });

    it('go by the source where valkey-glide says that the script is missing', async () => {
      const missing = new Error(
        'An error was signalled by the server: NoScriptError: No matching script.',
      );
      const client = new ScriptedGlide().next(rejecting(missing), replying('released'));

      await new RedisStore({ client }).release(claim);

      expect(client.seen).to.have.length(2);
    });

    it('are not repeated for any other error', async () => {
      const client = new ScriptedIoredis().next(rejecting(new Error('ERR no')), replying('kept'));

      await expectRejection(new RedisStore({ client }).release(claim), IdempotencyStoreError);

      expect(client.seen).to.have.length(1);
    });
  });

  describe('answers', () => {
    const asking = (reply: unknown) =>
      new RedisStore({ client: new ScriptedNodeRedis().next(replying(reply)) });
    const bytes = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text));

    it('may be bytes, where the client is set to return them', async () => {
      const reply = bytes('refused', 'status', 'COMPLETED', 'result', '"é"', 'expires_at_ms', '5');

      const outcome = await asking(reply).claim(request);

      expect(outcome).to.deep.equal({
        claimed: false,
        record: {
          ...{ id: 'orders#1', status: 'COMPLETED', result: '"é"' },
          ...{ expiresAtMs: 5, takeoverAtMs: 1005 },
        },
      });
    });

    it('are no success unless they are the ones of the script', async () => {
      for (const reply of [undefined, null, [], 'OK', 'refused', 1, [1], ['queued'], {}, [null]]) {
        const error = await expectRejection(
          asking(reply).complete(claim, completion),
          IdempotencyStoreError,
        );
        expect(error).to.include({ retryable: false, maybeApplied: true, operation: 'complete' });
        expect(error.hint).to.include('clientKind');
      }
    });

    it('are no success where the client returns no promise', async () => {
      const client = new ScriptedIoredis().next(() => true);

      const error = await expectRejection(
        new RedisStore({ client }).claim(request),
        IdempotencyStoreError,
      );

      expect(error).to.include({ retryable: false, maybeApplied: true });
      expect(error.reason).to.equal('the client has another interface than it seems to have');
    });

    it("that say 'lost' are an IdempotencyClaimLostError", async () => {
      for (const work of [
        () => asking('lost').renew(claim, nowMs + 1),
        () => asking('lost').complete(claim, completion),
      ]) {
        const error = await expectRejection(work(), IdempotencyClaimLostError);
        expect(error.id).to.equal('orders#1');
      }
    });
  });

  describe('times', () => {
    it('are refused before a request where they are none', async () => {
      const client = new ScriptedNodeRedis();
      const store = new RedisStore({ client });
      const works = [
        () => store.claim({ ...request, nowMs: NaN }),
        () => store.claim({ ...request, inProgressUntilMs: Infinity }),
        () => store.renew(claim, NaN),
        () => store.complete(claim, { ...completion, ttlMs: NaN }),
        () => store.forget('a', { nowMs: -Infinity }),
      ];

      for (const work of works) {
        expect((await expectRejection(work(), RangeError)).message).to.include('a time in epoch');
      }
      expect(client.seen).to.be.empty;
    });
  });

  describe('complete', () => {
    it('goes on without the result where the server says that it is too large', async () => {
      const tooLarge = new Error('ERR max request size exceeded');
      const client = new ScriptedIoredis().next(rejecting(tooLarge), replying('completed'));

      await new RedisStore({ client }).complete(claim, { ...completion, encoding: 'own' });

      const [first, second] = client.seen.map(({ args }) => args);
      expect(first).to.include.members(['result', 'encoding']);
      expect(second).to.include.members(['result_omitted', 'too-large']);
      expect(second).not.to.include.members(['result']);
      expect(second).not.to.include.members(['encoding']);
    });

    it('fails where there is no result to leave out', async () => {
      const tooLarge = new Error('ERR max request size exceeded');
      const client = new ScriptedIoredis().next(rejecting(tooLarge), replying('completed'));
      const { result, ...rest } = completion;

      await expectRejection(new RedisStore({ client }).complete(claim, rest));

      expect(client.seen).to.have.length(1);
    });
  });

  describe('timeout', () => {
    const clock = manualClock(nowMs);
    const failing = async (
      work: (limits: { timeoutMs?: number }) => Promise<unknown>,
      timeoutMs?: number,
    ) => {
      const failure = expectRejection(
        work(timeoutMs === undefined ? {} : { timeoutMs }),
        IdempotencyStoreError,
      );
      await clock.advance(timeoutMs ?? 5000);
      return failure;
    };

    it('ends an operation that nobody answers, which may have been applied', async () => {
      const store = new RedisStore({ client: new ScriptedNodeRedis(), clock });

      const error = await failing(() => store.claim(request));

      expect(error).to.include({ operation: 'claim', retryable: true, maybeApplied: true });
      expect(error.reason).to.equal('Redis did not answer within 5 s');
      expect(error.hint).to.equal(undefined);
      expect(clock.pendingTimers).to.equal(0);
    });

    it('is cut to what the caller can wait', async () => {
      const store = new RedisStore({ client: new ScriptedNodeRedis(), clock });

      const error = await failing((limits) => store.get('a', limits), 250);

      expect(error.reason).to.equal('Redis did not answer within 0.25 s');
      expect(error.maybeApplied).to.be.false;
    });

    it('sends nothing where no time is left', async () => {
      const client = new ScriptedNodeRedis();

      const error = await expectRejection(
        new RedisStore({ client, clock }).claim(request, { timeoutMs: 0 }),
        IdempotencyStoreError,
      );

      expect(error).to.include({ retryable: true, maybeApplied: false });
      expect(client.seen).to.be.empty;
    });

    it('takes back what still waits for a connection, and says that it was not applied', async () => {
      const client = new ScriptedCancellable().next(
        ({ signal }) =>
          new Promise((_, reject) => {
            signal?.addEventListener('abort', () => {
              reject(new Error('The command was aborted'));
            });
          }),
      );

      const error = await failing(() => new RedisStore({ client, clock }).claim(request));

      expect(error).to.include({ retryable: true, maybeApplied: false });
      expect(error.reason).to.equal('Redis did not answer within 5 s');
    });

    it('may have been applied where the client can no longer take it back', async () => {
      const store = new RedisStore({ client: new ScriptedCancellable(), clock });

      expect(await failing(() => store.claim(request))).to.include({ maybeApplied: true });
    });

    it('names the missing connection where the client says so', async () => {
      const [node, io] = [new ScriptedNodeRedis(), new ScriptedIoredis()];
      node.isReady = false;
      io.status = 'reconnecting';

      for (const client of [node, io]) {
        const error = await failing(() => new RedisStore({ client, clock }).claim(request));
        expect(error.hint).to.match(/^The client has no connection/);
      }
    });

    it('leaves no timer behind', async () => {
      const client = new ScriptedNodeRedis().next(replying('kept'), rejecting(new Error('ERR x')));
      const store = new RedisStore({ client, clock });

      await store.release(claim);
      await expectRejection(store.release(claim));

      expect(clock.pendingTimers).to.equal(0);
    });
  });
});
