/* The engines of the rows that wait for a network: each in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startDynamoDBLocal } from '../support/engines/dynamodb-local.js';
import { freshTableName, type Engine } from '../support/engines/engine.js';
import type { Packages } from './packages.js';

export const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  'DynamoDB Local': startDynamoDBLocal,
  dynalite: startDynaliteApart,
};

/** As many connections as calls in flight, so that none waits for one. */
const MAX_SOCKETS = 64;

export function clientOfEngine({ endpoint }: Engine): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: { httpAgent: { maxSockets: MAX_SOCKETS } },
  });
}

/** A new table, and its name. */
export async function tableOn(engine: Engine, { mayflyDynamoDB }: Packages): Promise<string> {
  const client = clientOfEngine(engine);
  const table = freshTableName();
  await mayflyDynamoDB.createIdempotencyTable({ table, client });
  client.destroy();
  return table;
}

/** In this process it would share the processor with what is measured. */
async function startDynaliteApart(): Promise<Engine> {
  const script = path.join(__dirname, '..', 'faults', 'load', 'engine-process.ts');
  const engine = spawn(process.execPath, ['-r', 'ts-node/register/transpile-only', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = (await once(engine.stdout, 'data')) as [Buffer];
  return {
    endpoint: said.toString(),
    stop: async () => {
      const exited = once(engine, 'exit');
      engine.stdin.end();
      await exited;
    },
  };
}
