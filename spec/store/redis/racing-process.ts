import { createInterface } from 'node:readline';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { RedisStore } from '../../../lib/store/redis/index.js';
import { ioredis, nodeRedis } from './clients.js';

/*
 * One of several processes that call the same keys. For each line it reads it calls all keys of one
 * round at once, each of them twice, and prints which it ran and what it got.
 */
const [client, port, keys] = process.argv.slice(-3);

async function race(): Promise<void> {
  const connected = await (client === 'ioredis' ? ioredis : nodeRedis)({ port: Number(port) });
  const store = new RedisStore({ client: connected.client });
  process.stdout.write('ready\n');
  for await (const round of createInterface({ input: process.stdin })) {
    const ran: string[] = [];
    const ids = Array.from({ length: Number(keys) }, (_, n) => `raced-${round}-${n}`);
    const got = await Promise.all([...ids, ...ids].map((id) => call(id, store, ran)));
    process.stdout.write(`${JSON.stringify({ ran, got })}\n`);
  }
  connected.close();
}

async function call(id: string, store: RedisStore, ran: string[]): Promise<string> {
  const body = async () => {
    ran.push(id);
    await new Promise(setImmediate);
    return `${id} by ${process.pid}`;
  };
  const outcome = await runIdempotent({ id }, body, { key: (p) => p.id, store, wait: 15 });
  return outcome.status === 'in-progress' ? `${id} in progress` : outcome.result;
}

void race();
