import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { createIdempotencyTable, DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { clientOf, freshTableName, type Engine } from '../../support/engines/engine.js';
import { numberFrom, Random } from '../exactly-once/random.js';
import { audit, type Figures } from './audit.js';
import { Journal, readJournal } from './journal.js';
import { CLOCK_SKEW_SECONDS, keyOf, LEASE_SECONDS } from './plan.js';
import { bundleWorker, Supervisor } from './supervisor.js';

const SECONDS = numberFrom('PROCESSES_SECONDS', 30);
const SEED = numberFrom('PROCESSES_SEED', Math.floor(Math.random() * 2 ** 31) + 1);
const ENGINE = process.env['PROCESSES_ENGINE'] === 'dynamodb-local' ? 'DynamoDB Local' : 'dynalite';
const WORKERS = 8;
const KEYS = 200;

describe(`${String(WORKERS)} processes on ${ENGINE}, in real time`, function () {
  this.timeout(120_000 + SECONDS * 2000);

  let folder: string;
  let script: string;
  let engine: Engine;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'processes-'));
    script = join(folder, 'worker.cjs');
    await bundleWorker(script);
    engine = await (ENGINE === 'dynalite' ? startDynalite() : startDynamoDBLocal());
  });

  after(async () => {
    await engine.stop();
    await rm(folder, { recursive: true });
  });

  interface Hammering {
    readonly seconds: number;
    readonly workers: number;
    readonly keys: number;
    readonly violent: boolean;
    readonly ignoresClaims?: boolean;
    /** Whether what the audit found so far will do, before the time is over. */
    readonly enough?: (faults: readonly string[]) => boolean;
  }

  /** Lets the processes loose on a new table, then asks for every key once; returns the audit. */
  async function hammer(hammering: Hammering) {
    const { seconds, workers, keys, violent, ignoresClaims = false, enough } = hammering;
    const table = freshTableName();
    const client = clientOf(engine.endpoint);
    const path = join(folder, `${table}.log`);
    const journal = new Journal(path);
    try {
      await createIdempotencyTable({ table, client });
      const fromMs = Date.now();
      const supervisor = new Supervisor(script, journal, new Random(SEED), (seed) => ({
        ...{ endpoint: engine.endpoint, table, journal: path, keys, seed, ignoresClaims },
        ...{ fromMs, untilMs: fromMs + seconds * 1000 },
      }));
      await supervisor.run(
        workers,
        seconds * 1000,
        violent,
        () => enough?.(audit(readJournal(path)).faults) ?? false,
      );
      expect(supervisor.complaints).to.deep.equal([]);

      // No claim outlives this: what nobody finished is run now, and everything else is replayed.
      await pause((LEASE_SECONDS + CLOCK_SKEW_SECONDS) * 1000 + 100);
      const store = new DynamoDBStore({ table, client, clockSkew: CLOCK_SKEW_SECONDS });
      for (let number = 0; number < keys; number++) {
        const key = keyOf(number);
        const outcome = await runIdempotent({}, () => '', { key, namespace: '', store });
        if (outcome.status === 'in-progress') throw new Error(`${key} is blocked`);
        if (outcome.status === 'replayed') {
          journal.write({ what: 'replayed', key, result: outcome.result });
        }
      }
      return audit(readJournal(path));
    } finally {
      journal.close();
      client.destroy();
    }
  }

  it(`place each of ${String(KEYS)} orders once while they are killed and frozen (${String(SECONDS)} s, PROCESSES_SEED=${String(SEED)})`, async () => {
    const { figures, faults } = await hammer({
      ...{ seconds: SECONDS, workers: WORKERS, keys: KEYS, violent: true },
    });
    print(figures);

    expect(faults).to.deep.equal([]);
    expect(figures.effects - figures.superseded).to.be.at.most(KEYS);
    // It was a bad day: claims were taken over, and calls met records and running ones.
    for (const name of ['kills', 'freezes', 'takeovers', 'replays', 'inProgress'] as const) {
      expect(figures[name], name).to.be.greaterThan(0);
    }
  });

  // What the audit is worth. A slow machine takes its time to get to both faults.
  it('are found out where they ignore what their claims come to', async () => {
    const expected = [/before the claim of/, /is recorded/];

    const { faults } = await hammer({
      ...{ seconds: 60, workers: 2, keys: 10, violent: false, ignoresClaims: true },
      enough: (found) => expected.every((fault) => fault.test(found.join('\n'))),
    });

    for (const fault of expected) expect(faults.join('\n')).to.match(fault);
  });
});

function print(figures: Figures): void {
  const rows = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
  console.log(`      ${rows.join(', ')}`);
}
