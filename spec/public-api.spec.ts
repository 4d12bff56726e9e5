import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import * as events from '../lib/events/index.js';
import * as execution from '../lib/execution/index.js';
import * as cache from '../lib/cache/index.js';
import * as core from '../lib/index.js';
import * as dynamodb from '../lib/store/dynamodb/index.js';
import * as middy from '../lib/middy/index.js';
import * as redis from '../lib/store/redis/index.js';
import * as testing from '../lib/testing/index.js';

/*
 * What users can import. A name that is added here is a promise; one that disappears breaks somebody.
 */

interface Entry {
  readonly source: string;
  readonly module: object;
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const entries: Readonly<Record<string, Entry>> = {
  'mayfly-idempotency': {
    source: 'lib/index.ts',
    module: core,
    values: [
      'IdempotencyClaimLostError',
      'IdempotencyCommitError',
      'IdempotencyDefaults',
      'IdempotencyError',
      'IdempotencyExpiredClaimError',
      'IdempotencyInProgressError',
      'IdempotencyKeyError',
      'IdempotencyPayloadMismatchError',
      'IdempotencyRecordError',
      'IdempotencyResultUnavailableError',
      'IdempotencyStoreError',
      'Idempotent',
      'MemoryStore',
      'RecordStatus',
      'configureIdempotency',
      'discardResult',
      'getIdempotentOptions',
      'idempotencyIdOf',
      'idempotencyKey',
      'isIdempotencyClaimLostError',
      'isIdempotencyCommitError',
      'isIdempotencyError',
      'isIdempotencyExpiredClaimError',
      'isIdempotencyInProgressError',
      'isIdempotencyKeyError',
      'isIdempotencyPayloadMismatchError',
      'isIdempotencyRecordError',
      'isIdempotencyResultUnavailableError',
      'isIdempotencyStoreError',
      'isReplayedError',
      'jsonCodec',
      'makeIdempotent',
      'observeIdempotency',
      'runIdempotent',
      'structuredCodec',
      'systemClock',
      'withIdempotency',
    ],
    types: [
      'AsyncMethod',
      'Awaitable',
      'CallOptions',
      'Claim',
      'ClaimOutcome',
      'ClaimRequest',
      'ClassDefaults',
      'Clock',
      'Commit',
      'CommitErrorDetails',
      'CommitOutcome',
      'Completion',
      'DefaultOptions',
      'EncodedResult',
      'EventBase',
      'EventDetails',
      'Executed',
      'ForgetOptions',
      'IdempotencyDefaultsDecorator',
      'IdempotencyErrorCode',
      'IdempotencyErrorDetails',
      'IdempotencyEvent',
      'IdempotencyRecord',
      'IdempotencyStore',
      'IdempotentDecorator',
      'IdentifyingArguments',
      'InProgress',
      'KeyFunction',
      'KeyPart',
      'KeyValue',
      'LambdaContextLike',
      'MemoryStoreOptions',
      'MethodOptions',
      'NamedStore',
      'NamedTable',
      'OnCompletionFailure',
      'OnExpiredClaim',
      'OnMissingKey',
      'OnStoreUnavailable',
      'OperationLimits',
      'Outcome',
      'RecordedError',
      'Replay',
      'Replayed',
      'ResultCodec',
      'ResultOmittedReason',
      'RunOptions',
      'SharedOptions',
      'StoreErrorDetails',
      'StoreOperation',
      'StoreOrTable',
      'Timer',
      'TransactWrite',
      'UntypedMethodOptions',
      'WarningCode',
    ],
  },
  'mayfly-idempotency/dynamodb': {
    source: 'lib/store/dynamodb/index.ts',
    module: dynamodb,
    values: ['DynamoDBStore', 'createIdempotencyTable'],
    types: [
      'AttributeNames',
      'ClientOptions',
      'CreateTableOptions',
      'CreateTableOutcome',
      'DynamoDBClientLike',
      'DynamoDBStoreOptions',
      'SortKey',
      'TableLayoutOptions',
    ],
  },
  'mayfly-idempotency/execution': {
    source: 'lib/execution/index.ts',
    module: execution,
    values: ['MAX_DEFERRED_WRITES', 'commitWith', 'currentExecution'],
    types: ['CurrentExecution', 'TransactWrite'],
  },
  'mayfly-idempotency/cache': {
    source: 'lib/cache/index.ts',
    module: cache,
    values: ['replayCache'],
    types: ['ReplayCacheOptions'],
  },
  'mayfly-idempotency/events': {
    source: 'lib/events/index.ts',
    module: events,
    values: [
      'dynamodbStreamEventId',
      'eventBridgeId',
      'header',
      'jsonBody',
      'kinesisSequence',
      'markReplayed',
      'problemResponse',
      'processBatch',
      's3Object',
      'snsMessageId',
      'sqsBody',
      'sqsMessageId',
    ],
    types: [
      'BatchEvent',
      'BatchOptions',
      'BatchResponse',
      'DynamoDBBatchRecord',
      'EventOf',
      'HeaderOptions',
      'HttpBodyEvent',
      'HttpEvent',
      'KinesisBatchRecord',
      'ProblemOptions',
      'ProblemResponse',
      'RecordOf',
      'ReplyLike',
      'S3Record',
      'SnsRecord',
      'SqsBatchRecord',
    ],
  },
  'mayfly-idempotency/middy': {
    source: 'lib/middy/index.ts',
    module: middy,
    values: ['idempotencyMiddleware'],
    types: ['IdempotencyMiddleware', 'MiddlewareOptions', 'MiddyRequest'],
  },
  'mayfly-idempotency/redis': {
    source: 'lib/store/redis/index.ts',
    module: redis,
    values: ['RedisStore'],
    types: [
      'GlideLike',
      'IoredisLike',
      'NodeRedisLike',
      'RedisClientKind',
      'RedisClientLike',
      'RedisStoreOptions',
    ],
  },
  'mayfly-idempotency/testing': {
    source: 'lib/testing/index.ts',
    module: testing,
    values: ['describeStoreContract', 'manualClock'],
    types: ['ContractRunner', 'EffectsHarness', 'ManualClock', 'StoreHarness', 'StoreUnderTest'],
  },
};

/** The exports of an entry, each of which it names or declares as a function. */
function exportsOf(source: string): { values: string[]; types: string[] } {
  const path = join(__dirname, '..', source);
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const found: { values: string[]; types: string[] } = { values: [], types: [] };
  for (const statement of file.statements) {
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      if (clause === undefined || !ts.isNamedExports(clause))
        throw new Error(`export * in ${source}`);
      for (const { isTypeOnly, name } of clause.elements) {
        (isTypeOnly || statement.isTypeOnly ? found.types : found.values).push(name.text);
      }
    } else if (isExported(statement)) {
      if (!ts.isFunctionDeclaration(statement)) throw new Error(`Unlisted export in ${source}`);
      found.values.push(statement.name?.text ?? 'default');
    }
  }
  return found;
}

function isExported(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true;
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

describe('the public interface', () => {
  it('is these entries, as package.json has them', () => {
    const { exports } = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>;
    };
    const published = Object.keys(exports)
      .filter((path) => path !== './package.json')
      .map((path) => join('mayfly-idempotency', path));

    expect(published.sort()).to.deep.equal(Object.keys(entries).sort());
  });

  for (const [name, { source, module, values, types }] of Object.entries(entries)) {
    describe(name, () => {
      it('exports exactly these values', () => {
        expect(Object.keys(module).sort()).to.deep.equal([...values].sort());
        expect(exportsOf(source).values.sort()).to.deep.equal([...values].sort());
      });

      it('exports exactly these types', () => {
        expect(exportsOf(source).types.sort()).to.deep.equal([...types].sort());
      });

      it('has no default export', () => {
        expect(module).to.not.have.property('default');
      });
    });
  }
});
