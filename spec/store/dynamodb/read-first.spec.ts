import { expect } from 'chai';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { DynamoDBStore, type DynamoDBStoreOptions } from '../../../lib/store/dynamodb/index.js';
import type { ClaimRequest } from '../../../lib/store/idempotency-store.js';
import { manualClock } from '../../../lib/testing/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { output, RecordingClient, refused, sdkError } from '../../support/recording-client.js';

const NOW_MS = 1_764_581_338_123;

const request: ClaimRequest = {
  id: 'orders#o1',
  token: 'token-1',
  nowMs: NOW_MS,
  ttlMs: 3_600_000,
  inProgressUntilMs: NOW_MS + 60_000,
  onExpiredClaim: 'run',
};

const completedItem = {
  id: { S: 'orders#o1' },
  status: { S: 'COMPLETED' },
  expires_at: { N: '1764584939' },
  completed_at: { N: '1764581330.5' },
  claim_token: { S: 'token-2' },
  fingerprint: { S: 'f00' },
  result: { S: '{"n":1}' },
  v: { N: '1' },
};

const runningItem = {
  id: { S: 'orders#o1' },
  status: { S: 'INPROGRESS' },
  in_progress_until: { N: '1764581390.5' },
  expires_at: { N: '1764584939' },
  claim_token: { S: 'token-2' },
  v: { N: '1' },
};

type Options = Pick<
  DynamoDBStoreOptions,
  'attributes' | 'clock' | 'clockSkew' | 'keyPrefix' | 'sortKey' | 'timeout'
>;

function make(options: Options = {}) {
  const client = new RecordingClient();
  return {
    client,
    store: new DynamoDBStore({ table: 'idem', readFirst: true, client, ...options }),
  };
}

describe('DynamoDBStore with readFirst', () => {
  describe('claim', () => {
    it('is one eventually consistent read where that shows a live finished record', async () => {
      const { client, store } = make();
      client.next(output({ Item: completedItem }));

      const outcome = await store.claim(request);

      expect(client.names).to.deep.equal(['GetItem']);
      expect(client.last.input).to.deep.equal({
        TableName: 'idem',
        Key: { id: { S: 'orders#o1' } },
        ConsistentRead: false,
      });
      expect(outcome).to.deep.equal({
        claimed: false,
        record: {
          id: 'orders#o1',
          status: 'COMPLETED',
          expiresAtMs: 1_764_584_939_000,
          takeoverAtMs: 1_764_584_940_000,
          completedAtMs: 1_764_581_330_500,
          claimToken: 'token-2',
          fingerprint: 'f00',
          result: '{"n":1}',
        },
      });
    });

    it('is one read for a recorded error and for a record without an end', async () => {
      const { expires_at, ...forever } = completedItem;
      const error = { S: '{"name":"CardError","message":"declined"}' };
      const { result, ...failed } = { ...completedItem, status: { S: 'FAILED' }, error };
      for (const Item of [forever, failed]) {
        const { client, store } = make();
        client.next(output({ Item }));

        const outcome = await store.claim(request);

        expect(client.names).to.deep.equal(['GetItem']);
        expect(outcome).to.have.nested.property('record.status', Item.status.S);
      }
    });

    it('reads by the key of the layout', async () => {
      const { client, store } = make({
        keyPrefix: 'idem#',
        attributes: { id: 'pk' },
        sortKey: { name: 'sk', value: 'RECORD' },
      });

      await store.claim(request);

      expect(client.seen[0]?.input.Key).to.deep.equal({
        pk: { S: 'idem#orders#o1' },
        sk: { S: 'RECORD' },
      });
    });

    it('is the normal claim after a read that shows nothing to rely on', async () => {
      const findings: Readonly<Record<string, object>> = {
        'no record': {},
        'a running claim': { Item: runningItem },
        'a lapsed claim': { Item: { ...runningItem, in_progress_until: { N: '1764581300' } } },
        'an unknown version': { Item: { ...completedItem, v: { N: '2' } } },
        'an unknown status': { Item: { ...completedItem, status: { S: 'DONE' } } },
      };
      for (const [title, found] of Object.entries(findings)) {
        const { client, store } = make();
        client.next(output(found));

        const outcome = await store.claim(request);

        expect(client.names, title).to.deep.equal(['GetItem', 'PutItem']);
        expect(outcome.claimed, title).to.equal(true);
      }
    });

    it('believes the refused write, not the read before it', async () => {
      const { client, store } = make();
      client.next(output({ Item: runningItem }), refused(completedItem));

      const outcome = await store.claim(request);

      expect(outcome).to.have.nested.property('record.status', 'COMPLETED');
    });

    // F50
    it('is the normal claim from the first moment after the ttl and the clock skew', async () => {
      const Item = { ...completedItem, expires_at: { N: '1764581337' } };
      for (const [nowMs, names] of [
        [1_764_581_339_000, ['GetItem']],
        [1_764_581_339_001, ['GetItem', 'PutItem']],
      ] as const) {
        const { client, store } = make({ clockSkew: 2 });
        client.next(output({ Item }));

        await store.claim({ ...request, nowMs });

        expect(client.names).to.deep.equal(names);
      }
    });

    it('is the normal claim after a read that failed and may succeed the next time', async () => {
      const lost = Object.assign(new Error('hang up'), { code: 'ECONNRESET' });
      for (const failure of [
        sdkError('ProvisionedThroughputExceededException'),
        sdkError('InternalServerError', { $fault: 'server', $metadata: { httpStatusCode: 500 } }),
        () => Promise.reject(lost),
      ]) {
        const { client, store } = make();
        client.next(failure);

        const outcome = await store.claim(request);

        expect(client.names).to.deep.equal(['GetItem', 'PutItem']);
        expect(outcome.claimed).to.equal(true);
      }
    });

    it('rejects where the read fails for a reason that stays, and writes nothing', async () => {
      const { client, store } = make();
      client.next(sdkError('AccessDeniedException'));

      const error = await expectRejection(store.claim(request), IdempotencyStoreError);

      expect(client.names).to.deep.equal(['GetItem']);
      expect(error).to.include({ operation: 'claim', retryable: false, maybeApplied: false });
      expect(error.hint).to.contain('dynamodb:GetItem');
    });

    it('gives the read half of its time, and the claim what is left', async () => {
      const clock = manualClock();
      const { client, store } = make({ clock, timeout: 4 });
      const never = () => new Promise<never>(() => undefined);
      client.next(never, never);
      const claim = expectRejection(store.claim(request, { timeoutMs: 3000 }));

      await clock.advance(1499);
      expect(client.names).to.deep.equal(['GetItem']);
      await clock.advance(1);
      expect(client.names).to.deep.equal(['GetItem', 'PutItem']);
      expect(client.seen[0]?.abortSignal?.aborted).to.equal(true);
      await clock.advance(1500);

      expect(await claim).to.include({ retryable: true, maybeApplied: true });
      expect(clock.pendingTimers).to.equal(0);
    });

    it('sends no claim where the time was over before the read', async () => {
      const { client, store } = make();

      const error = await expectRejection(
        store.claim(request, { timeoutMs: 0 }),
        IdempotencyStoreError,
      );

      expect(client.names).to.deep.equal([]);
      expect(error).to.include({ retryable: true, maybeApplied: false });
    });

    it('keeps its time where the clock jumps meanwhile', async () => {
      for (const jumpMs of [-3_600_000, 3_600_000]) {
        const clock = manualClock();
        const { client, store } = make({ clock, timeout: 4 });
        client.next(
          () => {
            clock.set(clock.now() + jumpMs);
            return Promise.resolve({});
          },
          () => new Promise<never>(() => undefined),
        );
        const claim = expectRejection(store.claim(request));

        await clock.advance(1999);
        expect(clock.pendingTimers).to.equal(1);
        await clock.advance(2001);

        expect(await claim).to.include({ retryable: true });
      }
    });
  });

  describe('other operations', () => {
    it('read nothing first, and `get` reads with full consistency', async () => {
      const { client, store } = make();
      const claim = { ...request, tookOver: false };

      await store.renew(claim, NOW_MS + 90_000);
      await store.complete(claim, { status: 'COMPLETED', nowMs: NOW_MS, ttlMs: 1000 });
      await store.release(claim);
      await store.forget('orders#o1');
      await store.get('orders#o1');

      expect(client.names).to.deep.equal([
        'UpdateItem',
        'UpdateItem',
        'DeleteItem',
        'DeleteItem',
        'GetItem',
      ]);
      expect(client.last.input.ConsistentRead).to.equal(true);
    });
  });

  describe('the option', () => {
    it('is off by default', async () => {
      for (const options of [{}, { readFirst: false }]) {
        const client = new RecordingClient();

        await new DynamoDBStore({ table: 'idem', client, ...options }).claim(request);

        expect(client.names).to.deep.equal(['PutItem']);
      }
    });

    it('is a boolean', () => {
      for (const readFirst of ['true', 1, null]) {
        expect(() => new DynamoDBStore({ readFirst } as object)).to.throw(
          TypeError,
          'Expected `readFirst` to be a boolean, got',
        );
      }
    });
  });
});
