import { build } from 'esbuild';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with the bundled handler in it, as it would be uploaded. */
export interface TaskRoot {
  readonly folder: string;
  dispose(): Promise<void>;
}

/** Bundles `handler.ts` with standard decorators. */
export async function bundleHandler(): Promise<TaskRoot> {
  const folder = await mkdtemp(join(tmpdir(), 'lambda-task-'));
  await build({
    entryPoints: [join(__dirname, 'handler.ts')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // Without a target esbuild leaves standard decorators as they are, which no Node runs.
    target: 'es2022',
    mainFields: ['module', 'main'],
    tsconfig: join(__dirname, '..', 'tsconfig.standard.json'),
    minify: true,
    logLevel: 'warning',
  });
  return { folder, dispose: () => rm(folder, { recursive: true }) };
}
