import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { decompress } from '../../../lib/results/compression.js';
import {
  createIdempotencyTable,
  DynamoDBStore,
  type CreateTableOutcome,
} from '../../../lib/store/dynamodb/index.js';
import type { Claim, Completion } from '../../../lib/store/idempotency-store.js';
import { freshTableName, sharedEngine, type Engine } from '../../support/engines/engine.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { EngineBench, type TableForm } from './engine-bench.js';

/** In which ways engines differ. */
export interface EngineTraits {
  /** Whether a refused write returns the item that stood in the way. */
  readonly returnsItem: boolean;
  /** What switching TTL on for the first time and again gives. */
  readonly timeToLive: readonly [
    CreateTableOutcome['timeToLive'],
    CreateTableOutcome['timeToLive'],
  ];
}

const nowMs = Date.UTC(2031, 0, 1) + 123;
const completion: Completion = { status: 'COMPLETED', nowMs, ttlMs: 60_000, result: '{"n":1}' };

let ids = 0;

function request(id = `orders#${String((ids += 1))}`) {
  return {
    id,
    token: `token-${randomBytes(4).toString('hex')}`,
    nowMs,
    ttlMs: 60_000,
    inProgressUntilMs: nowMs + 30_000,
    onExpiredClaim: 'run',
  } as const;
}

async function claimed(store: DynamoDBStore, id?: string): Promise<Claim> {
  const outcome = await store.claim(request(id));
  if (!outcome.claimed) throw new Error('The claim was refused');
  return outcome.claim;
}

/** What the store contract does not say and only an engine shows. */
export function describeEngine(startEngine: () => Promise<Engine>, traits: EngineTraits): void {
  const start = sharedEngine(startEngine);

  describe('requests', () => {
    const bench = new EngineBench().runs(start);
    const reads = traits.returnsItem ? [] : ['GetItem'];

    it('are one per operation, and a read more where no item comes back', async () => {
      const store = bench.store();
      const { id } = request();
      let claim: Claim | undefined;

      const counts = {
        claim: await bench.requestsOf(async () => (claim = await claimed(store, id))),
        inProgress: await bench.requestsOf(() => store.claim(request(id))),
      };
      if (claim === undefined) throw new Error('Not claimed');
      const own = claim;
      Object.assign(counts, {
        renew: await bench.requestsOf(() => store.renew(own, nowMs + 90_000)),
        refusedRenewal: await bench.requestsOf(() => store.renew(own, nowMs + 60_000)),
        complete: await bench.requestsOf(() => store.complete(own, completion)),
        replay: await bench.requestsOf(() => store.claim(request(id))),
        release: await bench.requestsOf(() => store.release(own)),
        get: await bench.requestsOf(() => store.get(id)),
        forget: await bench.requestsOf(() => store.forget(id)),
      });

      expect(counts).to.deep.equal({
        claim: ['PutItem'],
        inProgress: ['PutItem', ...reads],
        renew: ['UpdateItem'],
        refusedRenewal: ['UpdateItem', ...reads],
        complete: ['UpdateItem'],
        replay: ['PutItem', ...reads],
        release: ['DeleteItem'],
        get: ['GetItem'],
        forget: ['DeleteItem'],
      });
    });
  });

  describe('results', () => {
    const bench = new EngineBench().runs(start);

    // F18
    it('of every size are kept, packed or marked as omitted, and the method is completed', async () => {
      const store = bench.store();
      const noise = randomBytes(310_000).toString('base64');
      const kept: Record<string, readonly [string, string]> = {
        '390 KB of ASCII': ['a'.repeat(390 * 1024), 'as it is'],
        '390 KB of three-byte characters': ['€'.repeat(130 * 1024), 'as it is'],
        '400 KB of ASCII': ['a'.repeat(400 * 1024), 'gzipped'],
        '600 KB of three-byte characters': ['€'.repeat(200 * 1024), 'gzipped'],
        '390 KB that cannot be packed': [noise.slice(0, 390 * 1024), 'as it is'],
        '400 KB that gzip brings below the limit': [noise.slice(0, 400 * 1024), 'gzipped'],
        '600 KB that cannot be packed': [randomBytes(450 * 1024).toString('base64'), 'omitted'],
      };
      for (const [title, [result, expected]] of Object.entries(kept)) {
        const claim = await claimed(store);

        await store.complete(claim, { ...completion, result });

        const item = await bench.item({ id: claim.id });
        const record = await store.get(claim.id);
        expect(record?.status, title).to.equal('COMPLETED');
        if (expected === 'omitted') {
          expect(record?.resultOmitted, title).to.equal('too-large');
          expect(record, title).not.to.have.property('result');
          continue;
        }
        expect(record?.result === result, title).to.equal(true);
        expect(record, title).not.to.have.property('encoding');
        expect(item?.['encoding'], title).to.equal(
          expected === 'gzipped' ? 'json+gzip' : undefined,
        );
        if (expected === 'gzipped') {
          const bytes = item?.['result'] as Uint8Array;
          expect((await decompress(bytes)) === result, title).to.equal(true);
        }
      }
    });

    // F18
    it('at the exact limit of the item are judged as the engine judges them', async () => {
      const store = bench.store();
      const noise = randomBytes(310_000).toString('base64');
      // Around the largest text that fits: names and values of the other attributes take about 250.
      for (let bytes = 400 * 1024 - 400; bytes <= 400 * 1024; bytes += 40) {
        const claim = await claimed(store);
        const result = noise.slice(0, bytes);

        const requests = await bench.requestsOf(() =>
          store.complete(claim, { ...completion, result }),
        );

        expect(requests, `${String(bytes)} bytes took a second try`).to.deep.equal(['UpdateItem']);
        expect((await store.get(claim.id))?.result === result).to.equal(true);
      }
    });
  });

  const forms: Readonly<Record<string, TableForm>> = {
    'ids in the partition key, a fixed sort key': {
      attributes: { id: 'pk' },
      sortKey: { name: 'sk', value: 'IDEMPOTENCY' },
    },
    'a fixed partition key, ids in the sort key': {
      attributes: { id: 'pk' },
      sortKey: { name: 'sk', partition: 'IDEMPOTENCY' },
      keyPrefix: 'idem#',
    },
    'names that are reserved words': {
      attributes: {
        id: 'key',
        status: 'data',
        expiresAt: 'ttl',
        inProgressUntil: 'until',
        result: 'value',
        encoding: 'format',
        claimToken: 'token',
        version: 'number',
        completedAt: 'end',
        error: 'condition',
        resultOmitted: 'null',
      },
    },
  };
  for (const [title, form] of Object.entries(forms)) {
    describe(`a table with ${title}`, () => {
      const bench = new EngineBench(form).runs(start);

      // F62
      it('keeps one record per id through every operation', async () => {
        const store = bench.store();
        const first = await claimed(store, 'orders#1');
        const second = await claimed(store, 'orders#2');

        const refusal = await store.claim(request('orders#1'));
        expect(refusal).to.have.nested.property('record.claimToken', first.token);

        await store.renew(first, nowMs + 90_000);
        await store.complete(first, { ...completion, encoding: 'custom' });
        await store.release(second);

        const replay = await store.claim(request('orders#1'));
        expect(replay).to.deep.nested.include({
          'record.id': 'orders#1',
          'record.status': 'COMPLETED',
          'record.result': '{"n":1}',
          'record.encoding': 'custom',
        });
        expect(await store.get('orders#2')).to.equal(undefined);
        const third = await claimed(store, 'orders#2');
        await store.complete(third, {
          status: 'FAILED',
          nowMs,
          ttlMs: 60_000,
          error: { name: 'E', message: 'm' },
        });
        expect((await store.get('orders#2'))?.error).to.deep.equal({ name: 'E', message: 'm' });
        const late = await store.claim({ ...request('orders#2'), nowMs: nowMs + 120_000 });
        expect(late.claimed).to.equal(true);
        expect(await store.forget('orders#1')).to.equal(true);
        expect(await store.get('orders#1')).to.equal(undefined);
      });
    });
  }

  describe('createIdempotencyTable', () => {
    const bench = new EngineBench().runs(start);

    it('creates the table, and finds it there when it is repeated', async () => {
      const { client, created } = bench.running;

      expect(created).to.deep.equal({ created: true, timeToLive: traits.timeToLive[0] });
      expect(await createIdempotencyTable({ table: bench.table, client })).to.deep.equal({
        created: false,
        timeToLive: traits.timeToLive[1],
      });
    });

    it('says what is wrong with a table of another form', async () => {
      const { client } = bench.running;

      const error = await expectRejection(
        createIdempotencyTable({ table: bench.table, client, attributes: { id: 'pk' } }),
      );

      expect(error.message).to.contain('exists with partition key id (S)');
    });
  });

  // F73
  describe('mistakes', () => {
    const bench = new EngineBench().runs(start);
    const failure = async (options: object, id = 'k') => {
      const { client } = bench.running;
      const store = new DynamoDBStore({ table: bench.table, client, ...options });
      return expectRejection(store.claim(request(id)), IdempotencyStoreError);
    };

    it('are told: a missing table', async () => {
      const error = await failure({ table: freshTableName() });

      expect(error.message).to.contain('the table does not exist');
      expect(error).to.include({ retryable: false, maybeApplied: false });
    });

    it('are told: a key schema that does not fit', async () => {
      for (const options of [{ attributes: { id: 'pk' } }]) {
        const error = await failure(options);

        expect(error.message).to.contain("does not fit the table's key schema");
        expect(error).to.include({ retryable: false, maybeApplied: false });
      }
    });

    it('are told: a key that is too long', async () => {
      const error = await failure({}, 'k'.repeat(2049));

      expect(error.message).to.contain('the key is too long for the table');
    });
  });
}
