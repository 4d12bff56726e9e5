import { described } from '../errors/wrong-option.js';
import type { IdempotencyStore } from '../store/idempotency-store.js';
import { isStoreShaped } from '../store/option-checks.js';
import { dynamoDBStoreOn } from './dynamodb-loader.js';
import type { StoreSource } from './settings.js';

/**
 * The store of a call. The nearest place that names a store or a table has decided `source`; without
 * one the environment's table does.
 *
 * @throws TypeError when there is none, or when the `store` function returns none.
 */
export function resolveStore(
  source: StoreSource | undefined,
  self: unknown,
  where: string,
): IdempotencyStore | Promise<IdempotencyStore> {
  if (source === undefined) {
    const table = process.env['MAYFLY_IDEMPOTENCY_TABLE'] ?? '';
    if (table === '') throw noStore(where);
    return dynamoDBStoreOn(table, where);
  }
  if ('table' in source) return dynamoDBStoreOn(source.table, where);
  return typeof source.store === 'function'
    ? fromFunction(source.store, self, where)
    : source.store;
}

function fromFunction(
  store: (self: unknown) => unknown,
  self: unknown,
  where: string,
): IdempotencyStore {
  let found: unknown;
  try {
    found = store(self);
  } catch (cause) {
    throw new TypeError(
      self === undefined && store.length > 0
        ? `Called without its instance, which \`store\` needs; bind it, as in \`handler.handle.bind(handler)\` (${where})`
        : `The \`store\` function threw (${where})`,
      { cause },
    );
  }
  if (isStoreShaped(found)) return found as IdempotencyStore;
  throw new TypeError(
    `Expected the \`store\` function to return a store, got ${described(found)} (${where})`,
  );
}

function noStore(where: string): TypeError {
  return new TypeError(
    `No idempotency store (${where}). Name one in any of these places, the nearest wins: ` +
      'withIdempotency({ store }, fn); the option `store` or `table`; @IdempotencyDefaults({ store }) on the class; ' +
      'configureIdempotency({ store }); the environment variable MAYFLY_IDEMPOTENCY_TABLE',
  );
}
