import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../exactly-once/random.js';
import type { Journal } from './journal.js';
import type { WorkerPlan } from './plan.js';

/** How long workers have to finish what they do after the last call. */
const GRACE_MS = 10_000;

/** Bundles the worker: ts-node and the SDK would be most of its life. */
export async function bundleWorker(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(__dirname, 'worker.ts')],
    outfile,
    bundle: true,
    alias: { '@aws-sdk/client-dynamodb': join(__dirname, '../exactly-once/bare-sdk.ts') },
    minify: true,
    keepNames: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  });
}

/** Keeps a number of workers alive, and kills and freezes them at random: its own, by their ids. */
export class Supervisor {
  readonly #script: string;
  readonly #journal: Journal;
  readonly #random: Random;
  readonly #planFor: (seed: number) => WorkerPlan;
  readonly #workers: ChildProcess[] = [];
  #stopping = false;
  /** What workers complained of that were not killed. */
  readonly complaints: string[] = [];

  constructor(
    script: string,
    journal: Journal,
    random: Random,
    planFor: (seed: number) => WorkerPlan,
  ) {
    this.#script = script;
    this.#journal = journal;
    this.#random = random;
    this.#planFor = planFor;
  }

  /**
   * @param violent Whether workers are killed and frozen meanwhile.
   * @param enough Asked about twice a second; ends the run before its time.
   */
  async run(
    workers: number,
    durationMs: number,
    violent: boolean,
    enough: () => boolean,
  ): Promise<void> {
    const endMs = Date.now() + durationMs;
    try {
      for (let number = 0; number < workers; number++) this.#spawn();
      while (Date.now() < endMs && !enough()) {
        await pause(250 + this.#random.below(500));
        if (violent) void this.#hurt();
      }
    } finally {
      await this.#end();
    }
  }

  #spawn(): void {
    const plan = this.#planFor(this.#random.below(2 ** 31));
    const worker = spawn(process.execPath, [this.#script, JSON.stringify(plan)], {
      stdio: ['pipe', 'ignore', 'pipe'],
      env: { ...process.env, NODE_NO_WARNINGS: '1' },
    });
    let complaint = '';
    worker.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    worker.stdin.on('error', () => undefined); // Nobody is left to be told to stop.
    worker.once('close', (code, signal) => {
      this.#workers.splice(this.#workers.indexOf(worker), 1);
      if (signal !== 'SIGKILL' && (code !== 0 || !this.#stopping)) {
        this.complaints.push(`ended with ${String(code ?? signal)}: ${complaint}`);
      }
      if (!this.#stopping) this.#spawn();
    });
    this.#workers.push(worker);
    this.#journal.write({ what: 'spawned' }, worker.pid);
  }

  /** Kills a worker, or freezes it for up to some leases and then mostly lets it go on. */
  async #hurt(): Promise<void> {
    if (this.#workers.length === 0) return; // All killed just now.
    const worker = this.#random.pick(this.#workers);
    if (this.#random.below(2) === 0) {
      this.#kill(worker);
      return;
    }
    worker.kill('SIGSTOP');
    this.#journal.write({ what: 'stopped' }, worker.pid);
    await pause(500 + this.#random.below(3000));
    if (this.#random.below(8) === 0) this.#kill(worker);
    else if (worker.kill('SIGCONT')) this.#journal.write({ what: 'continued' }, worker.pid);
  }

  #kill(worker: ChildProcess): void {
    // Written first: what the others do to its keys comes after it.
    if (worker.exitCode === null && worker.signalCode === null) {
      this.#journal.write({ what: 'killed' }, worker.pid);
      worker.kill('SIGKILL');
    }
  }

  async #end(): Promise<void> {
    this.#stopping = true;
    const ended = this.#workers.map((worker) => once(worker, 'close'));
    for (const worker of this.#workers) {
      worker.kill('SIGCONT');
      worker.stdin?.end();
    }
    const timer = setTimeout(() => {
      for (const worker of this.#workers) this.#kill(worker);
    }, GRACE_MS);
    await Promise.all(ended);
    clearTimeout(timer);
  }
}
