import { expect } from 'chai';
import { runIdempotent } from '../../lib/execution/run-idempotent.js';
import { structuredCodec } from '../../lib/results/structured-codec.js';
import { DynamoDBStore } from '../../lib/store/dynamodb/index.js';
import { MemoryStore } from '../../lib/store/memory-store.js';

/**
 * Bluebird, zone.js and tracers put a class of their own in the place of `Promise`. What an async
 * function returns is no instance of that, and has to be awaited all the same.
 */
describe('a process whose global Promise is replaced', () => {
  const native = globalThis.Promise;

  beforeEach(() => {
    globalThis.Promise = class Replaced<T> extends native<T> {};
  });

  afterEach(() => {
    globalThis.Promise = native;
  });

  it('records and replays what a codec takes its time for', async () => {
    const options = { key: 'o1', namespace: 'replaced', store: new MemoryStore() };
    const codec = {
      ...structuredCodec,
      name: 'slow',
      encode: async (value: unknown) => structuredCodec.encode(value),
      decode: async (encoded: string | Uint8Array) => structuredCodec.decode(encoded) as unknown,
    };
    const result = new Map([['receipt', 'r1']]);

    const first = await runIdempotent({}, () => result, { ...options, codec });
    const second = await runIdempotent({}, () => new Map(), { ...options, codec });

    expect(first).to.include({ status: 'executed' });
    expect(second).to.deep.include({ status: 'replayed', result });
  });

  it('records a result that has to be compressed', async () => {
    const commands: { readonly input: Record<string, unknown> }[] = [];
    const client = {
      send: (command: (typeof commands)[number]) => {
        commands.push(command);
        return native.resolve({ $metadata: {} });
      },
    };
    const store = new DynamoDBStore({ table: 'idempotency', client });

    const outcome = await runIdempotent({}, () => 'x'.repeat(500_000), {
      ...{ key: 'o1', namespace: 'replaced', store, onCompletionFailure: 'throw' },
    });

    expect(outcome).to.include({ status: 'executed' });
    expect(commands).to.have.lengthOf(2);
    expect(commands[1]?.input['ExpressionAttributeValues']).to.deep.include({
      ':encoding': { S: 'json+gzip' },
    });
  });
});
