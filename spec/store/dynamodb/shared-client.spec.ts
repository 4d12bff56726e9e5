import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startDynalite } from '../../support/engines/dynalite.js';
import { EngineBench } from './engine-bench.js';

const ROOT = resolve(__dirname, '../../..');

/** Two stores that bring no client use a table; prints what happened, then nothing holds the process. */
const PROGRAM = `
  const { DynamoDBClient } = require('@aws-sdk/client-dynamodb');
  const clients = new Set();
  const send = DynamoDBClient.prototype.send;
  DynamoDBClient.prototype.send = function (...args) {
    clients.add(this);
    return send.apply(this, args);
  };
  const { DynamoDBStore } = require('./lib/store/dynamodb/index.ts');
  const stores = [new DynamoDBStore(), new DynamoDBStore({ table: process.env.MAYFLY_IDEMPOTENCY_TABLE })];
  const nowMs = Date.now();
  const claim = (store) => store.claim({
    id: 'shared', token: 't' + Math.random(), nowMs, ttlMs: 60000, inProgressUntilMs: nowMs + 30000, onExpiredClaim: 'run',
  });
  (async () => {
    const outcomes = [await claim(stores[0]), await claim(stores[1])];
    const [client] = clients;
    console.log(JSON.stringify({
      claimed: outcomes.map((outcome) => outcome.claimed),
      clients: clients.size,
      maxAttempts: await client.config.maxAttempts(),
    }));
  })();
`;

describe('the shared client', () => {
  const bench = new EngineBench().runs(startDynalite);

  it('is made once, of the standard AWS configuration, with three attempts', async function () {
    this.timeout(60_000); // A process of its own, since a process has but one such client.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--require', 'ts-node/register/transpile-only', '--eval', PROGRAM],
      {
        cwd: ROOT,
        env: {
          ...process.env,
          AWS_ENDPOINT_URL_DYNAMODB: bench.running.engine.endpoint,
          AWS_REGION: 'eu-central-1',
          AWS_ACCESS_KEY_ID: 'local',
          AWS_SECRET_ACCESS_KEY: 'local',
          MAYFLY_IDEMPOTENCY_TABLE: bench.table,
        },
      },
    );

    expect(JSON.parse(stdout)).to.deep.equal({
      claimed: [true, false],
      clients: 1,
      maxAttempts: 3,
    });
  });
});
