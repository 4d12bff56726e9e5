import { inspect } from 'node:util';
import { expect } from 'chai';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import type { ClaimRequest } from '../../../lib/store/idempotency-store.js';
import { RedisStore } from '../../../lib/store/redis/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { rejecting, ScriptedIoredis, ScriptedNodeRedis, scriptMissing } from './scripted-client.js';

const SECRET = 'customer-4711';
const request: ClaimRequest = {
  ...{ id: `orders#${SECRET}`, token: 't1', nowMs: 1_900_000_000_000, ttlMs: 1000 },
  ...{ inProgressUntilMs: 1_900_000_060_000, onExpiredClaim: 'run' },
};

function failureThrough(client: ScriptedNodeRedis | ScriptedIoredis) {
  return expectRejection(new RedisStore({ client }).claim(request), IdempotencyStoreError);
}

function coded(code: string, message = `connect ${code} 127.0.0.1:6379`): Error {
  return Object.assign(new Error(message), { code });
}

interface Expected {
  readonly error: unknown;
  readonly reason: RegExp;
  readonly retryable: boolean;
  readonly maybeApplied: boolean;
  /** Through a client that sends requests again, where that differs. */
  readonly resent?: boolean;
}

const refusedForNow = { retryable: true, maybeApplied: false, resent: true };
const mistaken = { retryable: false, maybeApplied: false };
const unsent = { retryable: true, maybeApplied: false };
const inDoubt = { retryable: true, maybeApplied: true };

const cases: Readonly<Record<string, Expected>> = {
  'a replica': {
    ...{
      error: new Error("READONLY You can't write against a read only replica."),
      ...refusedForNow,
    },
    reason: /read-only replica/,
  },
  'a replica, from a server before version 7': {
    error: new Error(
      "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
    ),
    ...refusedForNow,
    reason: /read-only replica/,
  },
  'no credentials': {
    ...{ error: new Error('NOAUTH Authentication required.'), ...mistaken },
    reason: /credentials/,
  },
  'wrong credentials': {
    ...{ error: new Error('WRONGPASS invalid username-password pair'), ...mistaken },
    reason: /credentials/,
  },
  'a missing permission': {
    ...{ error: new Error("NOPERM this user has no permissions to run 'evalsha'"), ...mistaken },
    reason: /permission/,
  },
  'no memory': {
    error: new Error("OOM command not allowed when used memory > 'maxmemory'. script: 1, on x:1."),
    ...refusedForNow,
    reason: /memory limit/,
  },
  'another type': {
    ...{ error: new Error('WRONGTYPE Operation against a key'), ...mistaken },
    reason: /no record/,
  },
  'a key of another node': {
    ...{ error: new Error('MOVED 3999 127.0.0.1:6381'), ...mistaken },
    reason: /node of a cluster/,
  },
  'a key on its way to another node': {
    ...{ error: new Error('ASK 3999 127.0.0.1:6381'), ...mistaken },
    reason: /node of a cluster/,
  },
  'a cluster without all slots': {
    ...{ error: new Error('CLUSTERDOWN Hash slot not served'), ...refusedForNow },
    reason: /cluster is down/,
  },
  'a server that loads its data': {
    ...{ error: new Error('LOADING Redis is loading the dataset in memory'), ...refusedForNow },
    reason: /no writes at the moment/,
  },
  'a server that runs a long script': {
    ...{ error: new Error('BUSY Redis is busy running a script.'), ...refusedForNow },
    reason: /no writes at the moment/,
  },
  'a server that cannot save': {
    ...{ error: new Error('MISCONF Redis is configured to save RDB snapshots'), ...refusedForNow },
    reason: /no writes at the moment/,
  },
  'too few replicas': {
    ...{ error: new Error('NOREPLICAS Not enough good replicas to write.'), ...refusedForNow },
    reason: /no writes at the moment/,
  },
  'too many clients': {
    ...{ error: new Error('ERR max number of clients reached'), ...refusedForNow },
    reason: /no more connections/,
  },
  'a server without scripts': {
    ...{ error: new Error("ERR unknown command 'EVALSHA'"), ...mistaken },
    reason: /no Lua scripts/,
  },
  'an answer that nothing is known of': {
    ...{ error: new Error(`ERR something about ${SECRET}`), ...mistaken },
    reason: /^Redis refuses the request \(ERR\)$/,
  },
  'no server': {
    ...{ error: coded('ECONNREFUSED'), ...refusedForNow },
    reason: /cannot be reached/,
  },
  'no server at any address': {
    error: new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], ''),
    ...refusedForNow,
    reason: /cannot be reached/,
  },
  'an unknown host': {
    ...{ error: coded('ENOTFOUND'), ...refusedForNow },
    reason: /cannot be reached/,
  },
  'a closed client of node-redis': {
    ...{ error: new Error('The client is closed'), ...mistaken },
    reason: /not connected, or is closed/,
  },
  'an offline client of node-redis': {
    ...{ error: new Error('The client is offline'), ...unsent },
    reason: /no connection at the moment/,
  },
  'an offline client of ioredis': {
    error: new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    ...unsent,
    reason: /no connection at the moment/,
  },
  'a subscriber': {
    error: new Error('Connection in subscriber mode, only subscriber commands may be used'),
    ...mistaken,
    reason: /in use for subscriptions/,
  },
  'a closed client of ioredis': {
    ...{ error: new Error('Connection is closed.'), retryable: false, maybeApplied: true },
    reason: /has been closed/,
  },
  'a client of ioredis that gives up': {
    error: new Error('Reached the max retries per request limit (which is 20).'),
    ...inDoubt,
    reason: /connection to Redis failed/,
  },
  'a connection that ends in node-redis': {
    ...{ error: new Error('Socket closed unexpectedly'), ...inDoubt },
    reason: /connection to Redis failed/,
  },
  'a connection that ends': {
    ...{ error: coded('ECONNRESET', 'read ECONNRESET'), ...inDoubt },
    reason: /connection to Redis failed/,
  },
  'a connection that ends without words': {
    ...{ error: coded('EPIPE', ''), ...inDoubt },
    reason: /connection to Redis failed/,
  },
  'a time limit of the client': {
    ...{ error: new Error('Command timed out'), ...inDoubt },
    reason: /connection to Redis failed/,
  },
  'a cluster without nodes': {
    ...{ error: new Error('None of startup nodes is available'), ...inDoubt },
    reason: /no node of the cluster/,
  },
  'a failure of the client': {
    ...{ error: new TypeError('x is not a function'), retryable: false, maybeApplied: true },
    reason: /^the client failed$/,
  },
  'no error': {
    ...{ error: undefined, retryable: false, maybeApplied: true },
    reason: /rejected without an error/,
  },
};

describe('Errors of RedisStore', () => {
  for (const [what, { error, reason, retryable, maybeApplied, resent }] of Object.entries(cases)) {
    it(`say what ${what} means`, async () => {
      const failure = await failureThrough(new ScriptedNodeRedis().next(rejecting(error)));

      expect(failure.reason).to.match(reason);
      expect(failure).to.include({ operation: 'claim', retryable, maybeApplied });
      expect(failure.cause).to.equal(error);
      expect(failure.id).to.equal(request.id);
    });

    it(`say of ${what} what is known where the client sends requests again`, async () => {
      const failure = await failureThrough(new ScriptedIoredis().next(rejecting(error)));

      expect(failure).to.include({ retryable, maybeApplied: resent ?? maybeApplied });
    });
  }

  it('say of a read that it was not applied', async () => {
    const client = new ScriptedIoredis().next(rejecting(coded('ECONNRESET')));

    const failure = await expectRejection(
      new RedisStore({ client }).get(request.id),
      IdempotencyStoreError,
    );

    expect(failure.maybeApplied).to.be.false;
  });

  it('count the second request of a script that was missing', async () => {
    const lost = new ScriptedNodeRedis().next(scriptMissing, rejecting(coded('ECONNRESET')));
    const refused = new ScriptedNodeRedis().next(scriptMissing, rejecting(new Error('OOM no')));

    expect((await failureThrough(lost)).maybeApplied).to.be.true;
    expect((await failureThrough(refused)).maybeApplied).to.be.false;
  });

  it('stand for what a client throws at once', async () => {
    const client = new ScriptedNodeRedis().next(() => {
      throw new TypeError('keys is undefined');
    });

    const failure = await failureThrough(client);

    expect(failure).to.include({ retryable: false, maybeApplied: false });
  });

  it('carry neither key nor token in message and logged properties', async () => {
    const error = new Error(`ERR something about ${SECRET}`);
    const { message, cause, ...logged } = await failureThrough(
      new ScriptedNodeRedis().next(rejecting(error)),
    );

    expect(cause).to.equal(error);
    expect(message + inspect(logged)).not.to.include(SECRET);
  });
});
