import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DoomedPlan } from './doomed-plan.js';

/** Processes that place one order each and are killed on the way. */
export class DoomedProcesses {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bundles the worker once: ts-node and the SDK would be most of its life. */
  static async prepare(): Promise<DoomedProcesses> {
    const folder = await mkdtemp(join(tmpdir(), 'exactly-once-'));
    await build({
      entryPoints: [join(__dirname, 'doomed-worker.ts')],
      outfile: join(folder, 'worker.cjs'),
      bundle: true,
      alias: { '@aws-sdk/client-dynamodb': join(__dirname, 'bare-sdk.ts') },
      minify: true,
      keepNames: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      logLevel: 'error',
    });
    return new DoomedProcesses(folder);
  }

  async dispose(): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }

  /**
   * Runs one; resolves to whether it was killed before it was done.
   *
   * @param mayLive Whether it may be done without having come to the point of its death.
   */
  async run(plan: DoomedPlan, mayLive = false): Promise<boolean> {
    const worker = spawn(
      process.execPath,
      [join(this.#folder, 'worker.cjs'), JSON.stringify(plan)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_NO_WARNINGS: '1' },
      },
    );
    let complaint = '';
    worker.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
    if (plan.point === 'anywhere') {
      worker.stdout.once('data', () => setTimeout(() => worker.kill('SIGKILL'), plan.delayMs));
    } else worker.stdout.resume();
    const [code, signal] = (await once(worker, 'close')) as [number | null, string | null];
    if (signal === 'SIGKILL') return true;
    if (code === 0 && mayLive) return false;
    throw new Error(
      `The worker of ${plan.attempt} ended with ${String(code ?? signal)} instead of being killed at ${plan.point}: ${complaint}`,
    );
  }
}
