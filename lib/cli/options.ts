import type { AttributeNames, SortKey } from '../store/dynamodb/table-layout.js';
import { UsageError, type OptionHelp, type OptionValues } from './command.js';
import type { TableSetting } from './records-table.js';

export const TABLE_VARIABLE = 'MAYFLY_IDEMPOTENCY_TABLE';

/** The options of every command. */
export const commonOptions: Readonly<Record<string, OptionHelp>> = {
  table: {
    type: 'string',
    value: 'NAME',
    help: `the table's name or ARN (default: ${TABLE_VARIABLE})`,
  },
  region: { type: 'string', value: 'REGION', help: 'the AWS Region (default: AWS_REGION)' },
  endpoint: {
    type: 'string',
    value: 'URL',
    help: 'where DynamoDB listens (default: AWS_ENDPOINT_URL_DYNAMODB)',
  },
  'key-prefix': { type: 'string', value: 'TEXT', help: "the store's keyPrefix" },
  attribute: {
    type: 'string',
    multiple: true,
    value: 'PART=NAME',
    help: "one of the store's attributes, such as id=pk; may be repeated",
  },
  'sort-key': {
    type: 'string',
    value: 'NAME=VALUE',
    help: "the store's sortKey with a fixed value; NAME alone together with --partition",
  },
  partition: {
    type: 'string',
    value: 'VALUE',
    help: 'the fixed partition of a sortKey that holds the id',
  },
  help: { type: 'boolean', help: 'print this' },
};

/** @throws UsageError when no table is named, or a layout cannot be read. */
export function tableSetting(
  options: OptionValues,
  env: Readonly<Record<string, string | undefined>>,
): TableSetting {
  const attributes = attributesOf(options['attribute'] as string[] | undefined);
  const sortKey = sortKeyOf(text(options, 'sort-key'), text(options, 'partition'));
  const region = text(options, 'region');
  const endpoint = text(options, 'endpoint');
  return {
    table: tableOf(text(options, 'table'), env),
    keyPrefix: text(options, 'key-prefix') ?? '',
    layout: {
      ...(attributes === undefined ? {} : { attributes }),
      ...(sortKey === undefined ? {} : { sortKey }),
    },
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}

/** The value of an option that takes one. */
export function text(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

function tableOf(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const table = given ?? env[TABLE_VARIABLE] ?? '';
  if (table === '')
    throw new UsageError(`no table is named: give --table or set ${TABLE_VARIABLE}`);
  return table;
}

function attributesOf(given: readonly string[] | undefined): Partial<AttributeNames> | undefined {
  if (given === undefined) return undefined;
  return Object.fromEntries(
    given.map((pair) => {
      const [part, name] = splitAtEquals(pair);
      if (name === undefined) {
        throw new UsageError(`expected --attribute PART=NAME, such as id=pk, got ${pair}`);
      }
      return [part, name];
    }),
  );
}

function sortKeyOf(given: string | undefined, partition: string | undefined): SortKey | undefined {
  if (given === undefined) {
    if (partition === undefined) return undefined;
    throw new UsageError('--partition needs --sort-key NAME, the attribute that holds the id');
  }
  const [name, value] = splitAtEquals(given);
  if ((value === undefined) === (partition === undefined)) {
    throw new UsageError('expected --sort-key NAME=VALUE, or --sort-key NAME --partition VALUE');
  }
  return partition === undefined ? { name, value: value ?? '' } : { name, partition };
}

function splitAtEquals(pair: string): [string, string | undefined] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, undefined] : [pair.slice(0, at), pair.slice(at + 1)];
}
