import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A running engine that speaks DynamoDB's protocol. */
export interface Engine {
  readonly endpoint: string;
  /** Stops it; nothing of it keeps the process alive afterwards. */
  stop(): Promise<void>;
}

/** A client of a local engine, with a Region and credentials that no real service accepts. */
export function clientOf(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
}

let tables = 0;

/** A table name that no other suite of this process uses. */
export function freshTableName(): string {
  tables += 1;
  return `idempotency-${String(process.pid)}-${String(tables)}`;
}

/**
 * Starts one engine for the enclosing suite and all suites in it, and stops it after them. Returns a
 * start function for each of those.
 */
export function sharedEngine(start: () => Promise<Engine>): () => Promise<Engine> {
  let engine: Engine | undefined;
  before('start the shared engine', async function () {
    this.timeout(120_000); // The first start fetches the engine.
    engine = await start();
  });
  after('stop the shared engine', () => engine?.stop());
  return () => {
    if (engine === undefined) return Promise.reject(new Error('The shared engine is not running'));
    return Promise.resolve({ endpoint: engine.endpoint, stop: () => Promise.resolve() });
  };
}
