import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { randomBytes } from 'node:crypto';
import {
  createIdempotencyTable,
  DynamoDBStore,
  type CreateTableOutcome,
} from '../../../lib/store/dynamodb/index.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import type { DemoOptions } from './options.js';

/** Where the records are: what two processes need to share them. */
export interface TableLocation {
  readonly endpoint: string | undefined;
  readonly table: string;
  /** New in each run of the demo, so that it finds no records of an earlier one. */
  readonly keyPrefix: string;
}

export interface DemoTable {
  readonly location: TableLocation;
  /** For people: which engine it is. */
  readonly engine: string;
  readonly timeToLive: CreateTableOutcome['timeToLive'];
  stop(): Promise<void>;
}

/** Starts dynalite unless the options name an engine, and makes the table. */
export async function openTable({ endpoint, table }: DemoOptions): Promise<DemoTable> {
  const embedded = endpoint === undefined && table === undefined;
  const dynalite = embedded ? await startDynalite() : undefined;
  const location = {
    endpoint: endpoint ?? dynalite?.endpoint,
    table: table ?? 'mayfly-idempotency-demo',
    keyPrefix: `demo-${randomBytes(3).toString('hex')}/`,
  };
  const stop = async (): Promise<void> => dynalite?.stop();
  try {
    const { timeToLive } = await createIdempotencyTable({
      table: location.table,
      clientConfig: clientConfigOf(location.endpoint),
    });
    const engine = embedded ? 'dynalite in this process' : (endpoint ?? 'AWS');
    return { location, engine, timeToLive, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export function storeAt({ endpoint, table, keyPrefix }: TableLocation): DynamoDBStore {
  return new DynamoDBStore({ table, keyPrefix, clientConfig: clientConfigOf(endpoint) });
}

function clientConfigOf(endpoint: string | undefined): DynamoDBClientConfig {
  if (endpoint === undefined) return {};
  if (!isLoopback(new URL(endpoint).hostname)) return { endpoint };
  return {
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}

/** Made-up credentials go to no other machine, and real ones are not asked for here. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/u.test(hostname);
}
