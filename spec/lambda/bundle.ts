import { build, type Plugin } from 'esbuild';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with the bundled handler in it, as it would be uploaded. */
export interface TaskRoot {
  readonly folder: string;
  dispose(): Promise<void>;
}

/** Bundles `handler.ts`, its standard decorators compiled, with the package as it is published. */
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
    plugins: [builtPackage],
    minify: true,
    logLevel: 'warning',
  });
  return { folder, dispose: () => rm(folder, { recursive: true }) };
}

/** Examples import the sources; what users upload is what is built of them. */
const builtPackage: Plugin = {
  name: 'built package',
  setup: ({ onResolve, resolve }) => {
    onResolve({ filter: /\/lib\/.*index\.js$/ }, ({ path, kind }) => {
      const entryPoint = /\/lib\/(?:.*\/)?(\w+)\/index\.js$/.exec(path)?.[1];
      const specifier = ['mayfly-idempotency', entryPoint].filter(Boolean).join('/');
      return resolve(specifier, { kind, resolveDir: __dirname });
    });
  },
};
