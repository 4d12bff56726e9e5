/*
 * One process with both copies of the package, as happens where an ES module program has a CommonJS
 * dependency: they share their defaults, and each recognises the other's errors.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as esm from 'mayfly-idempotency';
import 'mayfly-idempotency/dynamodb';
import * as execution from 'mayfly-idempotency/execution';

const require = createRequire(import.meta.url);
const cjs = require('mayfly-idempotency');
const cjsExecution = require('mayfly-idempotency/execution');
assert.notEqual(esm.MemoryStore, cjs.MemoryStore, 'these are to be two copies');

const store = new esm.MemoryStore();
const restore = esm.configureIdempotency({ store });
const run = (copy) => copy.runIdempotent({ orderId: 'o-1' }, () => Promise.resolve('placed'));
assert.equal((await run(cjs)).status, 'executed');
assert.equal((await run(esm)).status, 'replayed');
assert.equal(store.size, 1);
restore();

const keyless = (copy) =>
  copy.runIdempotent({}, () => Promise.resolve(), { store, key: () => undefined });
await assert.rejects(keyless(cjs), esm.isIdempotencyKeyError);
await assert.rejects(keyless(esm), cjs.isIdempotencyKeyError);

// Runs know of themselves, whichever copy makes them and whichever they ask.
const ids = () => [execution.currentExecution()?.id, cjsExecution.currentExecution()?.id];
for (const copy of [cjs, esm]) {
  const { result } = await copy.runIdempotent('o-2', ids, {
    store: new copy.MemoryStore(),
    key: 'o-2',
  });
  assert.deepEqual(result, ['o-2', 'o-2']);
}

// The DynamoDB store that one copy registered serves the other.
process.env.AWS_REGION = 'us-east-1';
process.env.AWS_ACCESS_KEY_ID = process.env.AWS_SECRET_ACCESS_KEY = 'local';
process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:1';
await assert.rejects(
  cjs.runIdempotent({ orderId: 'o-1' }, () => Promise.resolve(), { table: 'orders' }),
  cjs.isIdempotencyStoreError,
);
