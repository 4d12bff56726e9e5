import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type * as mayfly from '../../lib/index.js';
import type * as mayflyCache from '../../lib/cache/index.js';
import type * as mayflyDynamoDB from '../../lib/store/dynamodb/index.js';
import type { Call, LambdaContext } from './contestants/contestant.js';
import type { Order } from './payloads.js';
import { runFolder } from './workspace.js';

/** What is used of the peer; its own declarations are not installed in the project. */
export interface Powertools {
  readonly IdempotencyConfig: new (config: {
    readonly eventKeyJmesPath?: string;
    readonly throwOnNoIdempotencyKey?: boolean;
    readonly useLocalCache?: boolean;
    readonly hashFunction?: string;
  }) => object;
  readonly makeIdempotent: (
    fn: (event: Order, context: LambdaContext) => Promise<unknown>,
    options: {
      readonly persistenceStore: object;
      readonly config: object;
      readonly keyPrefix: string;
      readonly dataIndexArgument: number;
    },
  ) => Call;
}

export interface PowertoolsDynamoDB {
  readonly DynamoDBPersistenceLayer: new (config: {
    readonly tableName: string;
    readonly awsSdkV3Client: DynamoDBClient;
  }) => object;
}

export interface Packages {
  readonly mayfly: typeof mayfly;
  readonly mayflyDynamoDB: typeof mayflyDynamoDB;
  readonly mayflyCache: typeof mayflyCache;
  readonly powertools: Powertools;
  readonly powertoolsDynamoDB: PowertoolsDynamoDB;
}

/** The built packages, imported as ES modules from where they are installed. */
export async function loadPackages(): Promise<Packages> {
  const file = path.join(runFolder, 'packages.mjs');
  return (await import(pathToFileURL(file).href)) as Packages;
}
