import type { IdempotencyStoreError, StoreOperation } from '../../errors/store-error.js';
import { storeError } from '../request-failure.js';

const VARIABLE = 'MAYFLY_IDEMPOTENCY_TABLE';

/**
 * Returns a function that gives the table's name, `undefined` while none is known: the environment
 * may be set after the store is made.
 */
export function tableFinder(given: string | undefined): () => string | undefined {
  let table = given;
  return () => {
    if (table === undefined) {
      const named = process.env[VARIABLE] ?? '';
      if (named !== '') table = named;
    }
    return table;
  };
}

/** The failure of an operation while no table is named. */
export function noTable(operation: StoreOperation, id: string): IdempotencyStoreError {
  return storeError(
    {
      reason: 'no table is named',
      hint: `Give \`table\` to the method, to configureIdempotency or to new DynamoDBStore({ table }), or set ${VARIABLE}`,
      retryable: false,
      refused: true,
    },
    undefined,
    { operation, id, maybeApplied: false },
  );
}
