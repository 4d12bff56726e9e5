/*
 * What a user's program does where the AWS SDK is not installed: the core works with a MemoryStore,
 * and asking for a table says what to add.
 */
import assert from 'node:assert/strict';
import { MemoryStore, runIdempotent } from 'mayfly-idempotency';

async function main(): Promise<void> {
  const store = new MemoryStore();
  const run = () => runIdempotent({ orderId: 'o-1' }, () => Promise.resolve('placed'), { store });

  assert.equal((await run()).status, 'executed');
  assert.equal((await run()).status, 'replayed');

  await assert.rejects(
    runIdempotent({ orderId: 'o-1' }, () => Promise.resolve('placed'), { table: 'orders' }),
    /add `import 'mayfly-idempotency\/dynamodb'`/,
  );
}

void main();
