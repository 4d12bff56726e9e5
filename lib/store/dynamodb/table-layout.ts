import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { described, wrongOption } from '../../errors/wrong-option.js';

/** What each part of a record is called in the table. */
export interface AttributeNames {
  /** The partition key, of type String. @default 'id' */
  readonly id: string;
  /** @default 'status' */
  readonly status: string;
  /** The table's TTL attribute: whole epoch seconds. @default 'expires_at' */
  readonly expiresAt: string;
  /** @default 'in_progress_until' */
  readonly inProgressUntil: string;
  /** @default 'result' */
  readonly result: string;
  /** @default 'encoding' */
  readonly encoding: string;
  /** @default 'claim_token' */
  readonly claimToken: string;
  /** The version of the record's form. @default 'v' */
  readonly version: string;
  /** @default 'completed_at' */
  readonly completedAt: string;
  /** @default 'fingerprint' */
  readonly fingerprint: string;
  /** @default 'error' */
  readonly error: string;
  /** @default 'result_omitted' */
  readonly resultOmitted: string;
}

/**
 * For a table whose key is partition + sort key, both of type String.
 *
 * - `{ name, value }` keeps the id in the partition key and `value` in each sort key: records spread
 *   over the table's partitions, which is what a busy table wants.
 * - `{ name, partition }` keeps `partition` in each partition key and the id in the sort key: all
 *   records form one item collection that a `Query` can list, and share the throughput of one
 *   partition (1,000 write units a second). A sort key holds at most 1,024 bytes, `keyPrefix`
 *   included.
 *
 * The partition key's name is `attributes.id`, the sort key's is `name`.
 *
 * @example
 * ```ts
 * new DynamoDBStore({ attributes: { id: 'pk' }, sortKey: { name: 'sk', value: 'IDEMPOTENCY' } });
 * ```
 */
export type SortKey =
  | { readonly name: string; readonly value: string; readonly partition?: never }
  | { readonly name: string; readonly partition: string; readonly value?: never };

/** How a table is laid out; the part of the options that store and table creation share. */
export interface TableLayoutOptions {
  /** Names of attributes, where they differ from the defaults. */
  readonly attributes?: Partial<AttributeNames>;
  /** The sort key, for a table that has one. */
  readonly sortKey?: SortKey;
}

const defaultNames: AttributeNames = {
  id: 'id',
  status: 'status',
  expiresAt: 'expires_at',
  inProgressUntil: 'in_progress_until',
  result: 'result',
  encoding: 'encoding',
  claimToken: 'claim_token',
  version: 'v',
  completedAt: 'completed_at',
  fingerprint: 'fingerprint',
  error: 'error',
  resultOmitted: 'result_omitted',
};

/** An attribute's name has at most 255 bytes where it may be part of a key (DynamoDB: Constraints). */
const MAX_NAME_BYTES = 255;

export type Key = Record<string, AttributeValue>;

/** Where the parts of a record are. Made once per store. */
export class TableLayout {
  readonly names: AttributeNames;
  readonly sortKeyName: string | undefined;
  /** The key attribute that holds the id. */
  readonly idAttribute: string;
  readonly #fixedKey: Key | undefined;
  readonly #prefix: string;

  /** @throws TypeError when names are no names, or not distinct. */
  constructor(options: TableLayoutOptions, where: string, keyPrefix = '') {
    const { attributes = {}, sortKey } = options;
    this.names = attributeNames(attributes, where);
    if (sortKey !== undefined) checkSortKey(sortKey, where);
    this.sortKeyName = sortKey?.name;
    const names = Object.values({ ...this.names });
    if (sortKey !== undefined) names.push(sortKey.name);
    checkDistinct(names, where);
    this.idAttribute = sortKey?.partition === undefined ? this.names.id : sortKey.name;
    this.#fixedKey = fixedKey(this.names, sortKey);
    this.#prefix = keyPrefix;
  }

  key(id: string): Key {
    const key: Key = { [this.idAttribute]: { S: this.#prefix + id } };
    if (this.#fixedKey !== undefined) Object.assign(key, this.#fixedKey);
    return key;
  }
}

function fixedKey(names: AttributeNames, sortKey: SortKey | undefined): Key | undefined {
  if (sortKey === undefined) return undefined;
  return sortKey.partition === undefined
    ? { [sortKey.name]: { S: sortKey.value } }
    : { [names.id]: { S: sortKey.partition } };
}

function attributeNames(given: Partial<AttributeNames>, where: string): AttributeNames {
  checkObject(given, 'attributes', 'an object with names of attributes', where);
  for (const [part, name] of Object.entries(given) as [string, unknown][]) {
    if (!Object.hasOwn(defaultNames, part)) {
      throw new TypeError(
        `Expected \`attributes\` to name some of ${Object.keys(defaultNames).join(', ')}, got \`${part}\` (${where})`,
      );
    }
    checkName(name, `attributes.${part}`, where);
  }
  return { ...defaultNames, ...given };
}

function checkSortKey(sortKey: SortKey, where: string): void {
  checkObject(sortKey, 'sortKey', 'an object with `name`, and `value` or `partition`', where);
  checkName(sortKey.name, 'sortKey.name', where);
  if ((sortKey.value === undefined) === (sortKey.partition === undefined)) {
    throw new TypeError(
      `Expected \`sortKey\` to have either \`value\` or \`partition\`, got ${sortKey.value === undefined ? 'neither' : 'both'} (${where})`,
    );
  }
  const fixed: unknown = sortKey.value ?? sortKey.partition;
  if (typeof fixed !== 'string' || fixed === '') {
    const name = sortKey.value === undefined ? 'sortKey.partition' : 'sortKey.value';
    throw new TypeError(wrongOption(name, 'a non-empty string', fixed, where));
  }
}

function checkObject(value: unknown, option: string, what: string, where: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw new TypeError(wrongOption(option, what, value, where));
}

function checkName(name: unknown, option: string, where: string): void {
  if (typeof name !== 'string' || name === '' || Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new TypeError(
      wrongOption(
        option,
        `an attribute's name of at most ${String(MAX_NAME_BYTES)} bytes`,
        name,
        where,
      ),
    );
  }
}

function checkDistinct(names: readonly string[], where: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new TypeError(
      `Expected the attributes to have different names, got ${described(twice)} twice (${where})`,
    );
  }
}
