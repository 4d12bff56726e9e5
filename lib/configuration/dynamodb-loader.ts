import type { IdempotencyStore } from '../store/idempotency-store.js';
import { processState } from './process-state.js';

/** Put together at run time so that no bundler follows it into the AWS SDK. */
const dynamoDBEntry = ['mayfly-idempotency', 'dynamodb'].join('/');

let loading: Promise<unknown> | undefined;

/**
 * The DynamoDB store on `table`: at once where `mayfly-idempotency/dynamodb` was imported, else
 * after loading it.
 *
 * @throws TypeError when the entry cannot be loaded, which is the case in bundles that leave it out.
 */
export function dynamoDBStoreOn(
  table: string,
  where: string,
): IdempotencyStore | Promise<IdempotencyStore> {
  return processState.openDynamoDBStore?.(table) ?? loadStoreOn(table, where);
}

async function loadStoreOn(table: string, where: string): Promise<IdempotencyStore> {
  let failure: unknown;
  try {
    await load();
  } catch (error) {
    loading = undefined; // The next call tries again.
    failure = error;
  }
  const store = processState.openDynamoDBStore?.(table);
  if (store === undefined) {
    throw new TypeError(
      `The DynamoDB store is not loaded (${where}); add \`import 'mayfly-idempotency/dynamodb'\` to your code, and install @aws-sdk/client-dynamodb`,
      { cause: failure },
    );
  }
  return store;
}

function load(): Promise<unknown> {
  return (loading ??= import(
    /* webpackIgnore: true */ /* @vite-ignore */ dynamoDBEntry
  ) as Promise<unknown>);
}

/**
 * Starts loading the DynamoDB store where the environment names its table, so that on Lambda the
 * SDK is loaded in the init phase and not in the first invocation. Waits a microtask: a module that
 * imports the entry itself is evaluated by then.
 */
export function preloadDynamoDBStore(): void {
  if ((process.env['MAYFLY_IDEMPOTENCY_TABLE'] ?? '') === '') return;
  queueMicrotask(() => {
    if (processState.openDynamoDBStore !== undefined) return;
    // A failure shows at the first call that needs the store, with what to do about it.
    load().catch(() => {
      loading = undefined;
    });
  });
}
