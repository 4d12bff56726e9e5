import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type ts from 'typescript';
import { commands } from '../../lib/cli/run.js';
import { dialect } from '../decorator/support.js';
import { nameIn, type Table } from './markdown.js';
import {
  entries,
  readme,
  readmeProgram,
  root,
  type Entry,
  type ReadmeProgram,
} from './readme-program.js';

/**
 * Exported types that the README does not name: nobody needs them to use the package, and each is
 * documented where an editor shows it.
 */
const unnamed: Readonly<Record<Entry, readonly string[]>> = {
  'mayfly-idempotency': [
    // What the decorators and options are made of.
    ...['AsyncMethod', 'ClassDefaults', 'IdempotencyDefaultsDecorator', 'IdempotentDecorator'],
    'UntypedMethodOptions',
    // What the options are made of, without a name of their own for users.
    ...['NamedTable', 'SharedOptions', 'StoreOrTable'],
    ...['Awaitable', 'DefaultOptions', 'KeyFunction', 'KeyValue', 'LambdaContextLike'],
    ...['MethodOptions', 'OnCompletionFailure', 'OnExpiredClaim', 'OnMissingKey'],
    ...['OnStoreUnavailable', 'Replay', 'RunOptions', 'UntypedMethodOptions'],
    // The outcomes of runIdempotent, told apart by `status`.
    ...['Executed', 'InProgress', 'Outcome', 'Replayed'],
    // Parts of errors and events.
    ...['EventBase', 'EventDetails', 'IdempotencyError', 'IdempotencyErrorCode'],
    ...['IdempotencyErrorDetails', 'IdempotencyEvent', 'StoreErrorDetails', 'StoreOperation'],
    'WarningCode',
    // Parts of the store contract; the README's example of a store uses them.
    ...['Claim', 'ClaimOutcome', 'ClaimRequest', 'Completion', 'ForgetOptions'],
    'IdempotencyRecord',
    ...['EncodedResult', 'OperationLimits', 'RecordedError', 'ResultOmittedReason', 'Timer'],
    'MemoryStoreOptions',
    ...['Commit', 'CommitErrorDetails', 'CommitOutcome', 'TransactWrite'],
    ...['IdentifyingArguments', 'KeyPart'],
  ],
  'mayfly-idempotency/cache': ['ReplayCacheOptions'],
  'mayfly-idempotency/dynamodb': [
    ...['AttributeNames', 'ClientOptions', 'CreateTableOptions', 'CreateTableOutcome'],
    ...['DynamoDBClientLike', 'DynamoDBStoreOptions', 'TableLayoutOptions'],
  ],
  'mayfly-idempotency/events': [
    ...['BatchEvent', 'BatchOptions', 'BatchResponse', 'DynamoDBBatchRecord', 'EventOf'],
    ...['HeaderOptions', 'HttpBodyEvent', 'HttpEvent', 'KinesisBatchRecord', 'ProblemOptions'],
    ...['ProblemResponse', 'RecordOf', 'ReplyLike', 'S3Record', 'SnsRecord', 'SqsBatchRecord'],
  ],
  'mayfly-idempotency/execution': ['CurrentExecution', 'MAX_DEFERRED_WRITES', 'TransactWrite'],
  'mayfly-idempotency/middy': ['IdempotencyMiddleware', 'MiddlewareOptions', 'MiddyRequest'],
  'mayfly-idempotency/redis': [
    ...['GlideLike', 'IoredisLike', 'NodeRedisLike', 'RedisClientKind', 'RedisClientLike'],
    'RedisStoreOptions',
  ],
  'mayfly-idempotency/testing': [
    ...['ContractRunner', 'EffectsHarness', 'ManualClock', 'StoreHarness', 'StoreUnderTest'],
  ],
};

describe('README.md', () => {
  let program: ReadmeProgram;

  before(function () {
    this.timeout(120_000);
    program = readmeProgram(dialect());
  });

  describe('the table of options', () => {
    const table = () => readme.table('Options', 'option', 'type', 'unit', 'default');

    it('lists every option there is, and no other', () => {
      const options = new Set([
        ...program.membersOf('MethodOptions'),
        ...program.membersOf('DefaultOptions'),
      ]);

      expect(namesIn(table())).to.have.members([...options]);
    });

    it('says which ones can only be defaults', () => {
      const methodOptions = program.membersOf('MethodOptions');
      const defaultsOnly = program
        .membersOf('DefaultOptions')
        .filter((name) => !methodOptions.includes(name));

      const said = table().rows.filter((cells) => cells[4]?.includes('as a default only'));

      expect(said.map(([name]) => nameIn(name))).to.have.members(defaultsOnly);
    });

    it('has the defaults of the docstrings', () => {
      for (const option of optionSymbols(program)) {
        const documented = literalDefault(option);
        if (documented === undefined) continue;
        const row = table().rows.find(([name]) => nameIn(name) === option.name);
        expect(nameIn(row?.[3]), option.name).to.equal(documented);
      }
    });
  });

  describe('the tables about stores', () => {
    it('list the options of DynamoDBStore', () => {
      const options = program.membersOf('DynamoDBStoreOptions', 'mayfly-idempotency/dynamodb');

      expect(namesIn(readme.table('DynamoDB', 'option'))).to.have.members(options);
    });

    it('list the attributes of a record under their names in the table', () => {
      const type = program.typeOf('AttributeNames', 'mayfly-idempotency/dynamodb');
      const attributes = program.checker
        .getPropertiesOfType(type)
        .map((name) => [name.name, literalDefault(name)]);

      const rows = readme.table('The record', 'option', 'attribute').rows;

      expect(rows.map((cells) => [nameIn(cells[0]), `'${nameIn(cells[1])}'`]))
        .to.have.deep //
        .members(attributes);
    });

    it('list the options of MemoryStore', () => {
      const options = program.membersOf('MemoryStoreOptions');

      expect(namesIn(readme.table('Memory', 'option'))).to.have.members(options);
    });

    it('list the options of RedisStore with their defaults', () => {
      const type = program.typeOf('RedisStoreOptions', 'mayfly-idempotency/redis');
      const options = program.checker.getPropertiesOfType(type);
      const { rows } = readme.table('Redis and Valkey', 'option', 'type', 'unit', 'default');

      expect(rows.map(([name]) => nameIn(name))).to.have.members(options.map(({ name }) => name));
      for (const option of options) {
        const documented = literalDefault(option);
        if (documented === undefined) continue;
        const row = rows.find(([name]) => nameIn(name) === option.name);
        expect(nameIn(row?.[3]), option.name).to.equal(documented);
      }
    });

    it('list the members that a store must have', () => {
      const members = program.requiredMembersOf('IdempotencyStore');

      expect(namesIn(readme.table('Your own', 'member'))).to.have.members(members);
    });
  });

  describe('the table of errors', () => {
    it('lists every class with its code and status, and no other', () => {
      const classes = errorClasses(program).map(({ name }) => {
        const type = program.typeOf(name);
        const literal = (member: string): string => {
          const found = program.memberType(type, member);
          return found === undefined ? '' : (program.literalsOf(found)[0] ?? '');
        };
        return [name, literal('code'), literal('statusCode')];
      });
      const rows = readme.table('Errors', 'class', 'code', 'statusCode').rows;

      expect(classes).to.have.length.above(5);
      expect(rows.map((cells) => cells.slice(0, 3).map(nameIn))).to.have.deep.members(classes);
    });
  });

  describe('the table of events', () => {
    it('lists every event with what it carries', () => {
      const details = program.typeOf('EventDetails');
      const events = (details.isUnion() ? details.types : [details]).map((event) => {
        const type = program.memberType(event, 'type');
        const carried = event.getProperties().map(({ name }) => name);
        return [
          type === undefined ? '' : program.literalsOf(type).join(),
          ...carried.filter((name) => name !== 'type').sort(),
        ];
      });

      const rows = readme
        .table('Events', 'event', 'tells', 'carries')
        .rows.map((cells) => [nameIn(cells[0]), ...codeIn(cells[2]!).sort()]);

      expect(rows).to.have.deep.members(events);
    });

    it('is followed by what all of them carry and by the codes of the warnings', () => {
      const codes = program.literalsOf(program.typeOf('WarningCode'));

      expect(codes).to.have.length.above(3);
      const words = readme.prose.match(/[\w-]+/gu);
      expect(words).to.include.members([...program.membersOf('EventBase'), ...codes]);
    });
  });

  describe('the command line', () => {
    it('is shown with every command there is, and no other', () => {
      const shown = [...readme.text.matchAll(/^npx mayfly-idempotency ([\w-]+)/gmu)];

      expect([...new Set(shown.map(([, name]) => name))]).to.have.members(
        commands.map(({ name }) => name),
      );
    });
  });

  describe('the table for those who come from Powertools', () => {
    it('names options and exports that exist', () => {
      const options = [
        ...program.membersOf('MethodOptions'),
        ...program.membersOf('DynamoDBStoreOptions', 'mayfly-idempotency/dynamodb'),
      ];
      const names = (Object.keys(entries) as Entry[]).flatMap((entry) =>
        program.exportsOf(entry).map(({ name }) => name),
      );
      const { rows } = readme.table('Coming from Powertools', 'there', 'here');
      const said = rows.flatMap(([, here]) => codeIn(here!));
      const leading = said.flatMap((code) => /^@?(\w+)/u.exec(code)?.[1] ?? []);

      expect(leading).to.have.length.above(20);
      expect([...options, ...names, 'MAYFLY_IDEMPOTENCY_TABLE', 'MAYFLY_IDEMPOTENCY_DISABLED'])
        .to.include // More than once, some of them.
        .members([...new Set(leading)]);
    });
  });

  describe('the names that users import', () => {
    it('come from the entry points that package.json exports', () => {
      const manifest = readFileSync(join(root, 'package.json'), 'utf8');
      const { exports } = JSON.parse(manifest) as { exports: Record<string, unknown> };
      const exported = Object.keys(exports).filter((path) => path !== './package.json');
      const listed = readme
        .table('API at a glance', 'entry point')
        .rows.map(([name]) => nameIn(name));

      expect(exported.map((path) => `mayfly-idempotency${path.slice(1)}`)).to.have.members(listed);
      expect(Object.keys(entries)).to.have.members(listed);
    });

    for (const entry of Object.keys(entries) as Entry[]) {
      it(`has every export of ${entry}, or a reason not to`, () => {
        const words = new Set(readme.text.match(/\w+/gu));
        const missing = program
          .exportsOf(entry)
          .map(({ name }) => name)
          // The guards are told in one sentence: `is` before the name of the class.
          .filter((name) => !words.has(name) && !words.has(name.replace(/^is(?=I)/u, '')));

        expect(missing.filter((name) => !unnamed[entry].includes(name))).to.deep.equal([]);
      });

      it(`excuses no name that ${entry} does not export`, () => {
        const names = program.exportsOf(entry).map(({ name }) => name);

        expect(names).to.include.members(unnamed[entry]);
      });
    }
  });
});

function namesIn(table: Table): readonly string[] {
  return table.rows.map(([name]) => nameIn(name));
}

function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, code]) => code!);
}

function optionSymbols(program: ReadmeProgram): readonly ts.Symbol[] {
  return program.checker.getPropertiesOfType(program.typeOf('DefaultOptions'));
}

/** The `@default` of a docstring, where it is a literal. */
function literalDefault(symbol: ts.Symbol): string | undefined {
  const tag = symbol.getJsDocTags().find(({ name }) => name === 'default');
  const text = tag?.text
    ?.map((part) => part.text)
    .join('')
    .trim();
  return text !== undefined && /^(?:\d+|true|false|'[^']*')$/u.test(text) ? text : undefined;
}

function errorClasses(program: ReadmeProgram): readonly ts.Symbol[] {
  return program
    .exportsOf('mayfly-idempotency')
    .filter(({ name }) => /^Idempotency\w+Error$/u.test(name));
}
