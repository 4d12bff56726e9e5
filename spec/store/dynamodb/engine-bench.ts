import { GetItemCommand, PutItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import {
  createIdempotencyTable,
  DynamoDBStore,
  type AttributeNames,
  type CreateTableOutcome,
  type SortKey,
} from '../../../lib/store/dynamodb/index.js';
import type { IdempotencyRecord } from '../../../lib/store/idempotency-store.js';
import type { StoreHarness } from '../../../lib/testing/index.js';
import { clientOf, freshTableName, type Engine } from '../../support/engines/engine.js';
import { RecordingClient } from '../../support/recording-client.js';

/** How the table of a suite is laid out. */
export interface TableForm {
  readonly attributes?: Partial<AttributeNames>;
  readonly sortKey?: SortKey;
  readonly keyPrefix?: string;
}

interface Running {
  readonly engine: Engine;
  readonly client: DynamoDBClient;
  readonly recording: RecordingClient;
  readonly created: CreateTableOutcome;
}

/** One engine with one table on it, for the specs of one suite. */
export class EngineBench {
  readonly table = freshTableName();
  readonly #form: TableForm;
  #running: Running | undefined;

  constructor(form: TableForm = {}) {
    this.#form = form;
  }

  /** Registers the engine's start and stop in the enclosing suite. */
  runs(start: () => Promise<Engine>): this {
    const { keyPrefix, ...layout } = this.#form;
    const run = async (): Promise<void> => {
      const engine = await start();
      const client = clientOf(engine.endpoint);
      const created = await createIdempotencyTable({ ...layout, table: this.table, client });
      this.#running = { engine, client, recording: new RecordingClient(client), created };
    };
    before('start the engine', async function () {
      this.timeout(120_000); // The first start fetches the engine.
      await run();
    });
    after('stop the engine', async () => {
      this.#running?.client.destroy();
      await this.#running?.engine.stop();
    });
    return this;
  }

  get running(): Running {
    if (this.#running === undefined) throw new Error('The engine is not running');
    return this.#running;
  }

  /** A store on the table whose requests are recorded. */
  store(options: { readonly clockSkew?: number } = {}): DynamoDBStore {
    const client = this.running.recording;
    return new DynamoDBStore({ ...this.#form, ...options, table: this.table, client });
  }

  /** The requests that `work` makes. */
  async requestsOf(work: () => Promise<unknown>): Promise<string[]> {
    const { seen } = this.running.recording;
    const before = seen.length;
    await work();
    return seen.slice(before).map((request) => request.name);
  }

  /** Puts an item of plain values, whatever is in it. */
  async put(item: Record<string, unknown>): Promise<void> {
    const Item = marshall(item, { removeUndefinedValues: true });
    await this.running.client.send(new PutItemCommand({ TableName: this.table, Item }));
  }

  /** The item with this key as plain values. */
  async item(key: Record<string, string>): Promise<Record<string, unknown> | undefined> {
    const { Item } = await this.running.client.send(
      new GetItemCommand({ TableName: this.table, Key: marshall(key), ConsistentRead: true }),
    );
    return Item === undefined ? undefined : unmarshall(Item);
  }

  /** What the store contract needs to know of a table with the default layout. */
  harness(clockSkew = 1): StoreHarness<DynamoDBStore> {
    return {
      clockSkewSeconds: clockSkew,
      create: () => ({ store: this.store({ clockSkew }) }),
      seed: (_store, record) => this.put(itemOf(record)),
      createUnavailable: () => ({
        store: new DynamoDBStore({
          table: this.table,
          client: {
            send: () =>
              Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
          },
        }),
      }),
      createUnresponsive: () => ({
        store: new DynamoDBStore({
          table: this.table,
          client: { send: () => new Promise<never>(() => undefined) },
        }),
      }),
    };
  }
}

/** The item that holds a record, by the default attribute names. */
function itemOf(record: IdempotencyRecord): Record<string, unknown> {
  return {
    id: record.id,
    status: record.status,
    in_progress_until: seconds(record.inProgressUntilMs),
    expires_at: seconds(record.expiresAtMs),
    result: record.result,
    encoding: record.encoding,
    result_omitted: record.resultOmitted,
    claim_token: record.claimToken,
    fingerprint: record.fingerprint,
    completed_at: seconds(record.completedAtMs),
    error: record.error === undefined ? undefined : JSON.stringify(record.error),
  };
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
