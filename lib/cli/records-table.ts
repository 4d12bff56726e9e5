import { ScanCommand, type ScanCommandOutput } from '@aws-sdk/client-dynamodb';
import { isIdempotencyRecordError } from '../errors/guards.js';
import { clientOpener, type DynamoDBClientLike } from '../store/dynamodb/client.js';
import { createIdempotencyTable, type CreateTableOutcome } from '../store/dynamodb/create-table.js';
import { DynamoDBStore } from '../store/dynamodb/dynamodb-store.js';
import { recordFromItem } from '../store/dynamodb/record-mapper.js';
import { TableLayout, type TableLayoutOptions } from '../store/dynamodb/table-layout.js';
import type { IdempotencyRecord } from '../store/idempotency-store.js';
import { msToSeconds } from '../time/duration.js';
import type { Found } from './record-view.js';
import { scanRequest, type ScanFilter } from './scan-request.js';

/** By how much clocks may differ: the default of `DynamoDBStore`. */
export const CLOCK_SKEW_MS = 1000;

/** Operators' machines are far from the table, and a page of a scan is 1 MB of reading. */
const requestHandler = {
  connectionTimeout: 5000,
  requestTimeout: 20_000,
  throwOnRequestTimeout: true,
};
const OPERATION_SECONDS = 60;

/** Where the table is and what it looks like. */
export interface TableSetting {
  readonly table: string;
  readonly region?: string;
  readonly endpoint?: string;
  readonly keyPrefix: string;
  readonly layout: TableLayoutOptions;
  /** In place of a client of its own, for specs. */
  readonly client?: DynamoDBClientLike;
}

/** What a page of a scan brought. */
export interface Page {
  readonly found: readonly Found[];
  /** How many items DynamoDB read for it, which is what a scan costs. */
  readonly scanned: number;
}

/** The table of records, as the commands use it. */
export class RecordsTable {
  readonly #setting: TableSetting;
  readonly #layout: TableLayout;
  readonly #client: DynamoDBClientLike;
  readonly #store: DynamoDBStore;

  /** @throws TypeError or RangeError when the setting is wrong. */
  constructor(setting: TableSetting, where: string) {
    const { table, region, endpoint, keyPrefix, layout } = setting;
    const clientConfig = {
      requestHandler,
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint }),
    };
    this.#setting = setting;
    this.#client = setting.client ?? clientOpener({ clientConfig }, where)();
    this.#layout = new TableLayout(layout, where, keyPrefix);
    this.#store = new DynamoDBStore({
      ...layout,
      table,
      keyPrefix,
      client: this.#client,
      clockSkew: msToSeconds(CLOCK_SKEW_MS),
      timeout: OPERATION_SECONDS,
    });
  }

  create(): Promise<CreateTableOutcome> {
    const { table, layout } = this.#setting;
    return createIdempotencyTable({ ...layout, table, client: this.#client });
  }

  async get(id: string): Promise<Found | undefined> {
    try {
      const record = await this.#store.get(id);
      return record === undefined ? undefined : { id, record };
    } catch (error) {
      if (isIdempotencyRecordError(error)) return { id, unreadable: error.reason };
      throw error;
    }
  }

  forget(id: string, options: { readonly force: boolean; readonly nowMs: number }) {
    return this.#store.forget(id, options);
  }

  /** Reads the whole table page by page; results are not fetched. */
  async *scan(filter: ScanFilter): AsyncGenerator<Page> {
    const { table, keyPrefix } = this.#setting;
    const request = scanRequest(table, this.#layout, { ...filter, keyPrefix });
    let ExclusiveStartKey: ScanCommandOutput['LastEvaluatedKey'];
    do {
      const output = (await this.#client.send(
        new ScanCommand({ ...request, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
      )) as ScanCommandOutput;
      yield {
        found: (output.Items ?? []).map((item) => this.#read(item)),
        scanned: output.ScannedCount ?? 0,
      };
      ExclusiveStartKey = output.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
  }

  #read(item: Record<string, unknown>): Found {
    const key = item[this.#layout.idAttribute] as { readonly S?: unknown } | string | undefined;
    const text = typeof key === 'string' ? key : key?.S;
    if (typeof text !== 'string') {
      return { id: '', unreadable: `its key \`${this.#layout.idAttribute}\` is not a string` };
    }
    const id = text.slice(this.#setting.keyPrefix.length);
    try {
      return { id, record: this.#record(item, id) };
    } catch (error) {
      if (isIdempotencyRecordError(error)) return { id, unreadable: error.reason };
      throw error;
    }
  }

  #record(item: unknown, id: string): IdempotencyRecord {
    return recordFromItem(item, id, this.#layout, CLOCK_SKEW_MS);
  }
}
