/*
 * What a user's program does, in a project that has nothing but the packed package and the AWS SDK:
 * compiled and run as an ES module and as CommonJS, with legacy and with standard decorators, and
 * bundled. Ends with an exit code other than 0 where anything is not as expected.
 */
import assert from 'node:assert/strict';
import {
  Idempotent,
  IdempotencyStoreError,
  isIdempotencyStoreError,
  MemoryStore,
  runIdempotent,
  withIdempotency,
} from 'mayfly-idempotency';
import { DynamoDBStore } from 'mayfly-idempotency/dynamodb';

interface OrderEvent {
  readonly orderId: string;
}

class OrderHandler {
  placed = 0;

  @Idempotent({ key: (e) => e.orderId, ttl: 3600, namespace: 'orders' })
  async place(event: OrderEvent): Promise<{ orderId: string; placed: number }> {
    return Promise.resolve({ orderId: event.orderId, placed: ++this.placed });
  }
}

async function theFunctionRunsOnce(): Promise<void> {
  const options = { store: new MemoryStore(), key: (e: OrderEvent) => e.orderId };
  const event = { orderId: 'o-1' };

  const first = await runIdempotent(event, () => Promise.resolve('placed'), options);
  const second = await runIdempotent(event, () => Promise.resolve('placed again'), options);

  assert.deepEqual(first, { status: 'executed', result: 'placed' });
  assert.ok(second.status === 'replayed');
  assert.equal(second.result, 'placed');
}

async function theMethodRunsOnce(): Promise<void> {
  const handler = new OrderHandler();

  await withIdempotency({ store: new MemoryStore() }, async () => {
    assert.deepEqual(await handler.place({ orderId: 'o-1' }), { orderId: 'o-1', placed: 1 });
    assert.deepEqual(await handler.place({ orderId: 'o-1' }), { orderId: 'o-1', placed: 1 });
  });
}

async function entriesShareTheirClasses(): Promise<void> {
  const client = {
    send: () =>
      Promise.reject(Object.assign(new Error('no table'), { name: 'ResourceNotFoundException' })),
  };
  const store = new DynamoDBStore({ table: 'orders', client });

  const error: unknown = await store.get('id').then(
    () => undefined,
    (reason: unknown) => reason,
  );

  assert.ok(error instanceof IdempotencyStoreError, String(error));
  assert.ok(isIdempotencyStoreError(error));
}

async function main(): Promise<void> {
  await theFunctionRunsOnce();
  await theMethodRunsOnce();
  await entriesShareTheirClasses();
}

void main();
