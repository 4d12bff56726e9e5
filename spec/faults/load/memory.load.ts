import { expect } from 'chai';
import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIdempotencyTable } from '../../../lib/store/dynamodb/index.js';
import { clientOf, freshTableName } from '../../support/engines/engine.js';
import { numberFrom } from '../exactly-once/random.js';
import type { LoadPlan, LoadReport } from './plan.js';

const SECONDS = numberFrom('LOAD_SECONDS', 60);
const KEYS = 10_000;
const IN_FLIGHT = 64;
/** The first part of each run fills caches and is optimised; it is not measured. */
const WARM_UP = 0.25;

describe('a process under load on dynalite, in real time', function () {
  this.timeout(60_000 + SECONDS * 2000);

  let folder: string;
  let engine: ChildProcess;
  let endpoint: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'load-'));
    await build({
      entryPoints: [join(__dirname, 'loaded-process.ts')],
      outfile: join(folder, 'loaded-process.cjs'),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      logLevel: 'error',
    });
    engine = spawn(
      process.execPath,
      ['-r', 'ts-node/register', join(__dirname, 'engine-process.ts')],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
        env: { ...process.env, TS_NODE_TRANSPILE_ONLY: 'true' },
      },
    );
    const [said] = (await once(engine.stdout!, 'data')) as [Buffer];
    endpoint = said.toString();
  });

  after(async () => {
    const exited = once(engine, 'exit');
    engine.stdin?.end();
    await exited;
    await rm(folder, { recursive: true });
  });

  async function load(seconds: number, leaks: boolean) {
    const table = freshTableName();
    const client = clientOf(endpoint);
    await createIdempotencyTable({ table, client });
    client.destroy();
    const plan: LoadPlan = { endpoint, table, keys: KEYS, inFlight: IN_FLIGHT, seconds, leaks };
    const loaded = spawn(
      process.execPath,
      ['--expose-gc', join(folder, 'loaded-process.cjs'), JSON.stringify(plan)],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_NO_WARNINGS: '1' } },
    );
    let [said, complaint] = ['', ''];
    loaded.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    loaded.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    const [code] = (await once(loaded, 'close')) as [number | null];
    const exitedMs = Date.now();
    expect([code, complaint]).to.deep.equal([0, '']);
    const report = JSON.parse(said) as LoadReport;
    return { ...report, exitMs: exitedMs - report.endedMs, growth: growthOf(report.heap) };
  }

  it(`keeps its memory, its timers and listeners, and exits (${String(SECONDS)} s, ${String(IN_FLIGHT)} in flight)`, async () => {
    const report = await load(SECONDS, false);
    const { calls, runs, counts, heap, growth, exitMs, seconds } = report;
    const megabytes = heap.map((bytes) => (bytes / 2 ** 20).toFixed(1));
    console.log(
      `      ${String(calls)} calls in ${seconds.toFixed(1)} s, ${String(runs)} runs, ${String(counts.replayed)} replays, growth ${(growth * 100).toFixed(1)} %, exit after ${String(exitMs)} ms, heap in MB: ${megabytes.join(' ')}`,
    );

    expect(runs).to.equal(counts.executed).and.to.be.at.most(KEYS);
    expect(counts.replayed).to.be.above(0);
    expect(growth).to.be.within(-1, 0.1);
    expect(report).to.deep.include({ timers: 0, listeners: 0, resources: [] });
    expect(exitMs).to.be.below(2000);
  });

  // What the measurement is worth.
  it('is found out where every call leaves something behind', async () => {
    expect((await load(Math.min(SECONDS, 8), true)).growth).to.be.above(0.1);
  });
});

/** By how much the heap of the last quarter is above that of the first, after the warm-up. */
function growthOf(heap: readonly number[]): number {
  const measured = heap.slice(Math.ceil(heap.length * WARM_UP));
  const quarter = Math.floor(measured.length / 4);
  const first = median(measured.slice(0, quarter));
  return median(measured.slice(-quarter)) / first - 1;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
