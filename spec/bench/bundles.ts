/* What is bundled, minified as for Lambda, by esbuild. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { peer, runFolder, write } from './workspace.js';

const sdk = '@aws-sdk/client-dynamodb';

const sources = {
  'mayfly core': "export { Idempotent } from 'mayfly-idempotency';",
  'Powertools core': `export { idempotent, makeIdempotent, IdempotencyConfig } from '${peer}';`,
  /** The client and what a store sends: the floor of both that follow. */
  SDK: `export {
    DynamoDBClient, DeleteItemCommand, GetItemCommand, PutItemCommand, TransactWriteItemsCommand,
    UpdateItemCommand,
  } from '${sdk}';`,
  'mayfly with its store': `export { Idempotent } from 'mayfly-idempotency';
  export { DynamoDBStore } from 'mayfly-idempotency/dynamodb';`,
  'Powertools with its layer': `export { idempotent, makeIdempotent, IdempotencyConfig } from '${peer}';
  export { DynamoDBPersistenceLayer } from '${peer}/dynamodb';`,
} as const;

export type BundleName = keyof typeof sources;

/** Bundles the source, and returns the bundle's path. */
export async function bundle(name: BundleName): Promise<string> {
  const file = name.replaceAll(' ', '-');
  const outfile = path.join(runFolder, 'bundles', `${file}.cjs`);
  await build({
    entryPoints: [write(`bundles/${file}.mjs`, sources[name])],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
  return outfile;
}

export async function bundledBytes(name: BundleName): Promise<number> {
  return statSync(await bundle(name)).size;
}
