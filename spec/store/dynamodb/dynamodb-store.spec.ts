import { expect } from 'chai';
import { IdempotencyClaimLostError, IdempotencyRecordError } from '../../../lib/errors/index.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import type { Claim, ClaimRequest, Completion } from '../../../lib/store/idempotency-store.js';
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

const claim: Claim = {
  id: 'orders#o1',
  token: 'token-1',
  inProgressUntilMs: NOW_MS + 60_000,
  expiresAtMs: 1_764_584_939_000,
  tookOver: false,
};

const completion: Completion = {
  status: 'COMPLETED',
  nowMs: NOW_MS + 500,
  ttlMs: 3_600_000,
  result: '{"n":1}',
};

const othersItem = {
  id: { S: 'orders#o1' },
  status: { S: 'INPROGRESS' },
  in_progress_until: { N: '1764581390.5' },
  expires_at: { N: '1764584939' },
  claim_token: { S: 'token-2' },
  v: { N: '1' },
};

function make(options: { readonly clockSkew?: number } = {}) {
  const client = new RecordingClient();
  return { client, store: new DynamoDBStore({ table: 'idem', client, ...options }) };
}

/** The condition with its placeholders for names filled in. */
function rendered(input: {
  ConditionExpression: string;
  UpdateExpression?: string;
  ExpressionAttributeNames: Record<string, string>;
}) {
  const fill = (text = '') =>
    text.replace(/#\w+/g, (name) => input.ExpressionAttributeNames[name] ?? name);
  return { condition: fill(input.ConditionExpression), update: fill(input.UpdateExpression) };
}

describe('DynamoDBStore', () => {
  describe('claim', () => {
    it('is one conditional write of the claim', async () => {
      const { client, store } = make();

      await store.claim({ ...request, fingerprint: 'f00' });

      expect(client.names).to.deep.equal(['PutItem']);
      expect(client.last.input).to.deep.include({
        TableName: 'idem',
        Item: {
          id: { S: 'orders#o1' },
          status: { S: 'INPROGRESS' },
          in_progress_until: { N: '1764581398.123' },
          expires_at: { N: '1764584939' },
          claim_token: { S: 'token-1' },
          v: { N: '1' },
          fingerprint: { S: 'f00' },
        },
        ExpressionAttributeValues: {
          ':now': { N: '1764581337.123' },
          ':inprogress': { S: 'INPROGRESS' },
        },
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      expect(rendered(client.last.input).condition).to.equal(
        'attribute_not_exists(id) OR expires_at < :now OR (status = :inprogress AND in_progress_until < :now)',
      );
    });

    it('compares with the clock less clockSkew', async () => {
      const { client, store } = make({ clockSkew: 2.5 });

      await store.claim(request);

      expect(client.last.input.ExpressionAttributeValues[':now']).to.deep.equal({
        N: '1764581335.623',
      });
    });

    it('resolves to the claim as it is in the table', async () => {
      const { store } = make();

      expect(await store.claim(request)).to.deep.equal({ claimed: true, claim });
    });

    it('never lets a claim expire before its own end and the clock skew', async () => {
      const { client, store } = make({ clockSkew: 3 });

      const outcome = await store.claim({ ...request, ttlMs: 1 });

      expect(client.last.input.Item.expires_at).to.deep.equal({ N: '1764581402' });
      expect(outcome).to.have.nested.property('claim.expiresAtMs', 1_764_581_402_000);
    });

    it("neither takes over nor carries an expiry under onExpiredClaim 'reject'", async () => {
      const { client, store } = make();

      const outcome = await store.claim({ ...request, onExpiredClaim: 'reject' });

      expect(rendered(client.last.input).condition).to.equal(
        'attribute_not_exists(id) OR (status <> :inprogress AND expires_at < :now)',
      );
      expect(client.last.input.Item).not.to.have.property('expires_at');
      expect(outcome).not.to.have.nested.property('claim.expiresAtMs');
    });

    it('counts a replaced claim as a takeover, and a replaced outcome as none', async () => {
      const { client, store } = make();
      const replaced = [
        { Attributes: othersItem },
        { Attributes: { ...othersItem, status: { S: 'COMPLETED' } } },
        { Attributes: { ...othersItem, status: { S: 'FAILED' } } },
        { Attributes: { id: { S: 'orders#o1' } } },
        { Attributes: { id: 'orders#o1', status: 'COMPLETED' } },
        {},
      ];
      client.next(...replaced.map((members) => output(members)));

      const tookOver: boolean[] = [];
      for (const outcome of replaced.map(() => store.claim(request))) {
        const settled = await outcome;
        if (settled.claimed) tookOver.push(settled.claim.tookOver);
      }

      expect(tookOver).to.deep.equal([true, false, false, true, false, false]);
    });

    // F51
    it('resolves to the record in the way, whichever way its item comes back', async () => {
      const plainItem = {
        id: 'orders#o1',
        status: 'INPROGRESS',
        in_progress_until: 1_764_581_390.5,
        expires_at: 1_764_584_939,
        claim_token: 'token-2',
        v: 1,
      };
      const wrapped = { ...plainItem, in_progress_until: { value: '1764581390.5' } };
      const ways = {
        'attribute values with the refusal': [refused(othersItem)],
        'plain values with the refusal': [refused(plainItem)],
        'attribute values from the read': [refused(), output({ Item: othersItem })],
        'plain values from the read': [refused(), output({ Item: wrapped })],
      };

      for (const [way, answers] of Object.entries(ways)) {
        const { client, store } = make();
        client.next(...answers);

        const outcome = await store.claim(request);

        expect(outcome, way).to.deep.equal({
          claimed: false,
          record: {
            id: 'orders#o1',
            status: 'INPROGRESS',
            inProgressUntilMs: 1_764_581_390_500,
            takeoverAtMs: 1_764_581_391_500,
            expiresAtMs: 1_764_584_939_000,
            claimToken: 'token-2',
          },
        });
        expect(client.seen, way).to.have.lengthOf(answers.length);
      }
    });

    // F51
    it('reads with full consistency where no item came back, and says so when it is gone', async () => {
      const { client, store } = make();
      client.next(refused(), output());

      const outcome = await store.claim(request);

      expect(outcome).to.deep.equal({ claimed: false, record: undefined });
      expect(client.names).to.deep.equal(['PutItem', 'GetItem']);
      expect(client.last.input).to.deep.equal({
        TableName: 'idem',
        Key: { id: { S: 'orders#o1' } },
        ConsistentRead: true,
      });
    });

    // F01
    it('resolves to its own claim when a retry meets what the first attempt wrote', async () => {
      const { client, store } = make();
      client.next(refused({ ...othersItem, claim_token: { S: 'token-1' } }, 2));

      const outcome = await store.claim(request);

      expect(outcome).to.have.nested.property('record.claimToken', 'token-1');
    });

    it('rejects when the record in the way cannot be understood', async () => {
      const { client, store } = make();
      client.next(refused({ ...othersItem, v: { N: '2' } }));

      const error = await expectRejection(store.claim(request), IdempotencyRecordError);

      expect(error.message).to.contain('version 2');
      expect(error.id).to.equal('orders#o1');
    });
  });

  describe('renew', () => {
    it('moves both ends of the claim in one conditional write', async () => {
      const { client, store } = make();

      await store.renew(claim, NOW_MS + 7_200_000);

      expect(client.names).to.deep.equal(['UpdateItem']);
      expect(rendered(client.last.input)).to.deep.equal({
        update: 'SET in_progress_until = :until, expires_at = :expires',
        condition: 'claim_token = :token AND status = :inprogress AND in_progress_until <= :until',
      });
      expect(client.last.input).to.deep.include({
        Key: { id: { S: 'orders#o1' } },
        ExpressionAttributeValues: {
          ':until': { N: '1764588538.123' },
          ':token': { S: 'token-1' },
          ':inprogress': { S: 'INPROGRESS' },
          ':expires': { N: '1764588540' },
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
    });

    it('keeps the expiry of a claim whose ttl reaches further', async () => {
      const { client, store } = make();

      await store.renew(claim, NOW_MS + 90_000);

      expect(client.last.input.ExpressionAttributeValues[':expires']).to.deep.equal({
        N: '1764584939',
      });
    });

    it('gives no expiry to a claim without one', async () => {
      const { client, store } = make();
      const { expiresAtMs, ...unending } = claim;

      await store.renew(unending, NOW_MS + 90_000);

      expect(rendered(client.last.input).update).to.equal('SET in_progress_until = :until');
      expect(client.last.input.ExpressionAttributeValues).not.to.have.property(':expires');
    });

    it('resolves when a refused renewal meets its own record', async () => {
      const own = { ...othersItem, claim_token: { S: 'token-1' } };
      for (const item of [own, { ...own, status: { S: 'COMPLETED' } }]) {
        const returned = make();
        returned.client.next(refused(item));
        await returned.store.renew(claim, NOW_MS);
        expect(returned.client.names).to.deep.equal(['UpdateItem']);

        const read = make();
        read.client.next(refused(), output({ Item: item }));
        await read.store.renew(claim, NOW_MS);
        expect(read.client.names).to.deep.equal(['UpdateItem', 'GetItem']);
      }
    });

    it('rejects as lost when the record is gone or carries another token', async () => {
      for (const answers of [
        [refused(othersItem)],
        [refused(), output({ Item: othersItem })],
        [refused(), output()],
        [refused({ id: { S: 'orders#o1' }, status: { S: 'INPROGRESS' } })],
      ]) {
        const { client, store } = make();
        client.next(...answers);

        const error = await expectRejection(store.renew(claim, NOW_MS), IdempotencyClaimLostError);

        expect(error.id).to.equal('orders#o1');
        expect(error.cause).to.equal(undefined);
      }
    });
  });

  describe('complete', () => {
    it('replaces the claim with its outcome, for the owner of the token', async () => {
      const { client, store } = make();

      await store.complete(claim, { ...completion, encoding: 'structured' });

      expect(client.names).to.deep.equal(['UpdateItem']);
      expect(rendered(client.last.input)).to.deep.equal({
        update:
          'SET status = :status, expires_at = :expires, completed_at = :completed, result = :result, encoding = :encoding REMOVE in_progress_until',
        condition: 'claim_token = :token',
      });
      expect(client.last.input.ExpressionAttributeValues).to.deep.equal({
        ':status': { S: 'COMPLETED' },
        ':expires': { N: '1764584939' },
        ':completed': { N: '1764581338.623' },
        ':result': { S: '{"n":1}' },
        ':encoding': { S: 'structured' },
        ':token': { S: 'token-1' },
      });
    });

    // F09
    it('writes no result where there is none', async () => {
      const { client, store } = make();
      const { result, ...nothing } = completion;

      await store.complete(claim, nothing);

      expect(rendered(client.last.input).update).to.equal(
        'SET status = :status, expires_at = :expires, completed_at = :completed REMOVE in_progress_until',
      );
    });

    it('uses every name and every value that it sends', async () => {
      const completions: Completion[] = [
        completion,
        { ...completion, result: Uint8Array.of(1), encoding: 'bytes' },
        { status: 'COMPLETED', nowMs: NOW_MS, ttlMs: 1, resultOmitted: 'not-encodable' },
        { status: 'FAILED', nowMs: NOW_MS, ttlMs: 1, error: { name: 'E', message: 'm' } },
      ];
      for (const each of completions) {
        const { client, store } = make();

        await store.complete(claim, each);

        const { input } = client.last;
        const text = `${String(input.UpdateExpression)} ${String(input.ConditionExpression)}`;
        const used = [...new Set(text.match(/[#:]\w+/g))].sort();
        const sent = [
          ...Object.keys(input.ExpressionAttributeNames as object),
          ...Object.keys(input.ExpressionAttributeValues as object),
        ].sort();
        expect(sent).to.deep.equal(used);
      }
    });

    it('rejects as lost when the condition refuses it', async () => {
      const { client, store } = make();
      client.next(refused(othersItem));

      const error = await expectRejection(
        store.complete(claim, completion),
        IdempotencyClaimLostError,
      );

      expect(error.id).to.equal('orders#o1');
      expect(client.names).to.deep.equal(['UpdateItem']);
    });
  });

  describe('release', () => {
    it('deletes the claim of the owner of the token while it is in progress', async () => {
      const { client, store } = make();

      await store.release(claim);

      expect(client.names).to.deep.equal(['DeleteItem']);
      expect(rendered(client.last.input).condition).to.equal(
        'claim_token = :token AND status = :inprogress',
      );
      expect(client.last.input.ExpressionAttributeValues).to.deep.equal({
        ':token': { S: 'token-1' },
        ':inprogress': { S: 'INPROGRESS' },
      });
    });

    // F01
    it('resolves when there is nothing of its own to delete', async () => {
      const { client, store } = make();
      client.next(refused(undefined, 2));

      await store.release(claim);

      expect(client.names).to.deep.equal(['DeleteItem']);
    });
  });

  describe('get', () => {
    it('reads with full consistency', async () => {
      const { client, store } = make();
      client.next(output({ Item: { ...othersItem, status: { S: 'COMPLETED' } } }));

      const record = await store.get('orders#o1');

      expect(client.last.input).to.have.property('ConsistentRead', true);
      expect(record).to.deep.equal({
        id: 'orders#o1',
        status: 'COMPLETED',
        takeoverAtMs: 1_764_584_940_000,
        expiresAtMs: 1_764_584_939_000,
        claimToken: 'token-2',
      });
    });

    it('resolves to undefined where nothing is', async () => {
      const { client, store } = make();
      client.next(output({ Item: undefined }), output({ Item: null }));

      expect(await store.get('orders#o1')).to.equal(undefined);
      expect(await store.get('orders#o1')).to.equal(undefined);
    });
  });

  describe('forget', () => {
    it('deletes what is no live claim, in one request', async () => {
      const { client, store } = make();
      client.next(output({ Attributes: othersItem }));

      expect(await store.forget('orders#o1', { nowMs: NOW_MS })).to.equal(true);

      expect(client.names).to.deep.equal(['DeleteItem']);
      expect(rendered(client.last.input).condition).to.equal(
        'attribute_exists(id) AND (status <> :inprogress OR in_progress_until < :now OR expires_at < :now)',
      );
      expect(client.last.input.ExpressionAttributeValues[':now']).to.deep.equal({
        N: '1764581337.123',
      });
    });

    it('resolves to false when a live claim, or nothing, is there', async () => {
      const { client, store } = make();
      client.next(refused(), output());

      expect(await store.forget('orders#o1')).to.equal(false);
      expect(await store.forget('orders#o1', { force: true })).to.equal(false);
    });

    it('deletes unconditionally when it is forced', async () => {
      const { client, store } = make();

      await store.forget('orders#o1', { force: true });

      expect(client.last.input).to.deep.equal({
        TableName: 'idem',
        Key: { id: { S: 'orders#o1' } },
        ReturnValues: 'ALL_OLD',
      });
    });
  });

  it('holds nothing of one call for the next', async () => {
    const { client, store } = make();
    client.next(sdkError('ThrottlingException'));

    await expectRejection(store.claim(request));
    await store.claim({ ...request, id: 'orders#o2', ttlMs: 60_000, onExpiredClaim: 'reject' });
    await store.claim(request);

    const [first, , third] = client.seen;
    expect(third?.input).to.deep.equal(first?.input);
  });
});
