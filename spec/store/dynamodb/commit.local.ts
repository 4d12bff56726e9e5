import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { randomBytes, randomUUID } from 'node:crypto';
import { IdempotencyCommitError, IdempotencyStoreError } from '../../../lib/errors/index.js';
import type { Claim, Commit, TransactWrite } from '../../../lib/store/idempotency-store.js';
import { contractGroup } from '../../../lib/testing/contract/bench.js';
import { commitTests } from '../../../lib/testing/contract/commit.js';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { effectsOf } from './commit-suite.js';
import { EngineBench } from './engine-bench.js';

const MINUTE_MS = 60_000;

describe('DynamoDBStore commits on DynamoDB Local', function () {
  this.timeout(60_000); // A cold JVM takes its time over the first requests.

  const bench = new EngineBench().runs(startDynamoDBLocal);
  const effects = effectsOf(bench);

  describe('by the store contract', () => {
    commitTests(contractGroup(bench.harness()), effects);
  });

  async function claimed(): Promise<Claim> {
    const nowMs = Date.now();
    const outcome = await bench.store().claim({
      id: randomUUID(),
      token: randomUUID(),
      nowMs,
      ttlMs: 60 * MINUTE_MS,
      inProgressUntilMs: nowMs + MINUTE_MS,
      onExpiredClaim: 'run',
    });
    if (!outcome.claimed) throw new Error('The claim was refused');
    return outcome.claim;
  }

  function commitOf(claim: Claim, writes: readonly TransactWrite[], result = '1'): Commit {
    const completion = {
      status: 'COMPLETED',
      nowMs: Date.now(),
      ttlMs: MINUTE_MS,
      result,
    } as const;
    return { token: claim.token, outcome: { claim, completion }, writes };
  }

  function put(item: object): TransactWrite {
    return { Put: { TableName: bench.table, Item: { id: { S: randomUUID() }, ...item } } };
  }

  it('costs one request, repeated or not', async () => {
    const store = bench.store();
    const commit = commitOf(await claimed(), [put({})]);

    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await bench.requestsOf(() => store.commit(commit))).to.deep.equal([
        'TransactWriteItems',
      ]);
    }
  });

  it('takes 99 writes besides the record', async () => {
    const claim = await claimed();
    const names = Array.from({ length: 99 }, () => randomUUID());
    const store = bench.store();
    await store.commit(
      commitOf(
        claim,
        names.map((name) => effects.write(store, name)),
      ),
    );

    expect(await effects.count(store, names[98] ?? '')).to.equal(1);
  });

  // F18
  for (const [what, result, kept] of [
    ['compresses a result that does not fit', JSON.stringify('a'.repeat(500_000)), true],
    [
      'omits a result that cannot be made to fit',
      JSON.stringify(randomBytes(420_000).toString('base64')),
      false,
    ],
  ] as const) {
    it(`${what}, and applies the writes`, async () => {
      const store = bench.store();
      const claim = await claimed();
      const name = randomUUID();
      await store.commit(commitOf(claim, [effects.write(store, name)], result));

      const record = await store.get(claim.id);
      expect(record?.status).to.equal('COMPLETED');
      expect(record?.result).to.equal(kept ? result : undefined);
      expect(record?.resultOmitted).to.equal(kept ? undefined : 'too-large');
      expect(await effects.count(store, name)).to.equal(1);
    });
  }

  it('recognises its own commit after the engine has forgotten the token', async () => {
    const store = bench.store();
    const name = randomUUID();
    const commit = commitOf(await claimed(), [effects.write(store, name)]);
    await store.commit(commit);
    const { recording } = bench.running;
    // Another request token makes it a new transaction, as after ten minutes.
    recording.next((request, forward) => {
      (request.input as { ClientRequestToken: string }).ClientRequestToken = randomUUID();
      return forward();
    });
    expect(await bench.requestsOf(() => store.commit(commit))).to.deep.equal([
      'TransactWriteItems',
    ]);
    expect(await effects.count(store, name)).to.equal(1);
  });

  it('tells which write was refused, and no item', async () => {
    const store = bench.store();
    const secret = 'visa-4242';
    const id = randomUUID();
    await bench.running.client.send(
      new PutItemCommand({ TableName: bench.table, Item: { id: { S: id }, card: { S: secret } } }),
    );
    const refused = {
      Put: {
        TableName: bench.table,
        Item: { id: { S: id }, card: { S: secret } },
        ConditionExpression: 'attribute_not_exists(id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    };
    const claim = await claimed();
    const error = await expectRejection(
      store.commit(commitOf(claim, [put({}), refused])),
      IdempotencyCommitError,
    );

    expect(error.outcome).to.equal('cancelled');
    expect(error.reasons).to.deep.equal(['None', 'ConditionalCheckFailed']);
    const everything = JSON.stringify([error.message, error.cause, (error.cause as Error).message]);
    expect(everything).to.not.include(secret);
    expect(error.cause).to.not.have.nested.property('CancellationReasons[1].Item');
  });

  for (const [what, writes, reason] of [
    [
      'two writes on one item',
      () => {
        const same = put({});
        return [same, same];
      },
      /refuses the transaction as invalid/,
    ],
    [
      'a missing table',
      () => [{ Put: { TableName: 'no-such-table', Item: { id: { S: '1' } } } }],
      /a table of the transaction does not exist/,
    ],
    ['what is no number', () => [put({ amount: { N: 'seven' } })], /as invalid/],
  ] as const) {
    it(`refuses ${what} for good, with nothing applied`, async () => {
      const store = bench.store();
      const claim = await claimed();
      const error = await expectRejection(
        store.commit(commitOf(claim, writes())),
        IdempotencyStoreError,
      );

      expect(error).to.include({ retryable: false, maybeApplied: false, operation: 'commit' });
      expect(error.message).to.match(reason);
      expect((await store.get(claim.id))?.status).to.equal('INPROGRESS');
    });
  }
});
