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
