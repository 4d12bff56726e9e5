/**
 * `mayfly-idempotency/dynamodb`: the DynamoDB store and its table. Importing it registers the store as
 * the default one, on the table that `MAYFLY_IDEMPOTENCY_TABLE` names.
 *
 * @module mayfly-idempotency/dynamodb
 */
import { processState } from '../../configuration/process-state.js';
import { DynamoDBStore } from './dynamodb-store.js';

export { type ClientOptions, type DynamoDBClientLike } from './client.js';
export {
  createIdempotencyTable,
  type CreateTableOptions,
  type CreateTableOutcome,
} from './create-table.js';
export { DynamoDBStore } from './dynamodb-store.js';
export { type DynamoDBStoreOptions } from './store-options.js';
export { type AttributeNames, type SortKey, type TableLayoutOptions } from './table-layout.js';

/*
 * Importing `mayfly-idempotency/dynamodb` is what makes a table's name enough: the option `table`
 * and MAYFLY_IDEMPOTENCY_TABLE open a store through this. One store per table, on the shared client.
 */
const stores = new Map<string, DynamoDBStore>();

processState.openDynamoDBStore ??= (table) => {
  let store = stores.get(table);
  if (store === undefined) stores.set(table, (store = new DynamoDBStore({ table })));
  return store;
};
