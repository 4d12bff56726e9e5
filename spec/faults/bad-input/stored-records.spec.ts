import { GetItemCommand, PutItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect } from 'chai';
import fc from 'fast-check';
import { withIdempotency } from '../../../lib/configuration/with-idempotency.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { createIdempotencyTable, DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import type { IdempotencyRecord } from '../../../lib/store/idempotency-store.js';
import { MemoryStore } from '../../../lib/store/memory-store.js';
import { manualClock } from '../../../lib/testing/manual-clock.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import { clientOf, freshTableName, type Engine } from '../../support/engines/engine.js';
import { output, RecordingClient, refused } from '../../support/recording-client.js';
import { ObservedCalls, type Settled } from './observed-calls.js';
import {
  damagedRecords,
  isClaimable,
  itemOf,
  NOW_MS,
  undamaged,
  type DamagedRecord,
  type Item,
} from './stored-items.js';

const TYPED = ['ERR_IDEMPOTENCY_RECORD', 'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE'];
const SKEW_MS = 1000;

function atNow<T>(fn: () => T): T {
  return withIdempotency({ clock: manualClock(NOW_MS) }, fn);
}

/** Engines write numbers in forms of their own. */
function comparable(item: Item = {}): unknown {
  const entries = Object.entries(item).map(([name, value]) => [
    name,
    value.N === undefined ? value : Number(value.N),
  ]);
  return Object.fromEntries(entries) as unknown;
}

/** A call that must not run: its answer is the record's, or an error that says why not. */
function expectAnswerOf({ what, result, error }: Settled, item: Item): void {
  if (what === 'replayed') {
    expect(item['status']).to.deep.equal({ S: 'COMPLETED' });
    expect(item['v']?.N ?? '1').to.satisfy((version: string) => Number(version) === 1);
    if (item['result'] === undefined) expect(result).to.equal(undefined);
    else if (item['encoding'] === undefined) {
      const { S, B } = item['result'];
      expect(result).to.deep.equal(JSON.parse(S ?? Buffer.from(B!).toString()));
    }
  } else if (what === 'in-progress') {
    expect(item['status']).to.deep.equal({ S: 'INPROGRESS' });
  } else if (!TYPED.includes(what)) {
    // A recorded error, as it was recorded.
    expect(item['status'], what).to.deep.equal({ S: 'FAILED' });
    const { name, message } = JSON.parse(item['error']?.S ?? '') as Error;
    expect(error).to.include({ name, message });
  }
}

describe('a stored record in any condition', () => {
  type Answering = (item: Item) => RecordingClient;
  const answers: Readonly<Record<string, Answering>> = {
    'comes with the refused write': (item) =>
      new RecordingClient().next(...Array.from({ length: 3 }, () => refused(item))),
    'has to be read': (item) =>
      new RecordingClient().next(
        ...Array.from({ length: 3 }, () => [refused(), output({ Item: item })]).flat(),
      ),
    'comes through a document client': (item) =>
      new RecordingClient().next(
        ...Array.from({ length: 3 }, () => [
          refused(),
          output({ Item: unmarshall(item, { wrapNumbers: true }) }),
        ]).flat(),
      ),
  };

  for (const [title, answering] of Object.entries(answers)) {
    it(`is answered from or refused, and left alone, where it ${title}`, async () => {
      const property = async (record: DamagedRecord): Promise<void> => {
        const item = itemOf(record, 'k');
        const client = answering(item);
        const store = new DynamoDBStore({ table: 't', client });
        const calls = new ObservedCalls();
        const settled = await calls.settle(() =>
          atNow(() => runIdempotent({}, calls.body, { key: 'k', store, namespace: '' })),
        );
        expect(calls.runs).to.equal(0);
        // Nothing but claims, which were refused, and reads.
        expect(client.names.filter((name) => !['PutItem', 'GetItem'].includes(name))).to.be.empty;
        expect(client.names.length).to.be.at.most(6);
        if (title.includes('document')) {
          // Numbers beyond a double's precision arrive rounded.
          expect([
            'replayed',
            'in-progress',
            ...TYPED,
            ...(item['error'] ? [settled.what] : []),
          ]).to.include(settled.what);
        } else if (settled.what !== 'in-progress') expectAnswerOf(settled, item);
      };
      await fc.assert(fc.asyncProperty(damagedRecords, property), {
        numRuns: 150,
        examples: undamaged.map((record) => [record]),
      });
    });
  }

  describe('in an engine', () => {
    const table = freshTableName();
    let engine: Engine;
    let client: DynamoDBClient;

    before(async () => {
      engine = await startDynalite();
      client = clientOf(engine.endpoint);
      await createIdempotencyTable({ table, client });
    });

    after(async () => {
      client.destroy();
      await engine.stop();
    });

    it('lets one call run where a claim may replace it, and else none, and stays', async () => {
      let id = 0;
      const property = async (record: DamagedRecord): Promise<void> => {
        const key = `k${String((id += 1))}`;
        const item = itemOf(record, key);
        await client.send(new PutItemCommand({ TableName: table, Item: item }));
        const store = new DynamoDBStore({ table, client, clockSkew: SKEW_MS / 1000 });
        const calls = new ObservedCalls();
        const call = () =>
          atNow(() => runIdempotent({}, calls.body, { key, store, namespace: '' }));
        const settled = await calls.settle(call);
        const { Item: left } = await client.send(
          new GetItemCommand({ TableName: table, Key: { id: { S: key } } }),
        );
        if (isClaimable(item, SKEW_MS)) {
          expect([settled.what, calls.runs]).to.deep.equal(['executed', 1]);
          expect(left).to.deep.include({ status: { S: 'COMPLETED' }, result: { S: '"done"' } });
          expect((await calls.settle(call)).what).to.equal('replayed');
          expect(calls.runs).to.equal(1);
        } else {
          expect(calls.runs).to.equal(0);
          expectAnswerOf(settled, item);
          expect(comparable(left)).to.deep.equal(comparable(item));
        }
      };
      await fc.assert(fc.asyncProperty(damagedRecords, property), {
        numRuns: 60,
        examples: undamaged.map((record) => [record]),
      });
    });
  });

  it('is answered from or refused, and left alone, in memory', async () => {
    const members = [
      ...['status', 'inProgressUntilMs', 'expiresAtMs', 'result', 'encoding', 'resultOmitted'],
      ...['claimToken', 'fingerprint', 'completedAtMs', 'error'],
    ];
    const sound: readonly IdempotencyRecord[] = [
      { id: 'k', status: 'COMPLETED', expiresAtMs: NOW_MS + 1000, result: '{"a":1}' },
      {
        id: 'k',
        status: 'INPROGRESS',
        expiresAtMs: NOW_MS + 1000,
        inProgressUntilMs: NOW_MS + 500,
      },
      { id: 'k', status: 'FAILED', expiresAtMs: NOW_MS + 1000, error: { name: 'E', message: 'm' } },
    ];
    const data = fc.anything({ withBigInt: true, withNullPrototype: true, withTypedArray: true });
    const damage = fc.dictionary(fc.constantFrom(...members), data, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sound), damage, async (record, damaged) => {
        const store = new MemoryStore();
        try {
          store.seed({ ...record, ...damaged });
        } catch {
          expect(store.size).to.equal(0);
          return;
        }
        const calls = new ObservedCalls();
        const { what } = await calls.settle(() =>
          atNow(() => runIdempotent({}, calls.body, { key: 'k', store, fingerprint: () => 'f' })),
        );
        if (what === 'executed') {
          const { status, inProgressUntilMs, expiresAtMs } = {
            ...record,
            ...damaged,
          } as Required<IdempotencyRecord>;
          const ended =
            expiresAtMs < NOW_MS || (status === 'INPROGRESS' && inProgressUntilMs < NOW_MS);
          expect(ended).to.equal(true);
          return;
        }
        expect(calls.runs).to.equal(0);
        expect(what).to.match(/^(replayed|in-progress|ERR_IDEMPOTENCY_\w+|untyped: E: m)$/);
        expect(store.size).to.equal(1);
      }),
      { numRuns: 400 },
    );
  });
});
