import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const cache = join(__dirname, '..', '..', '.cache', 'lambda');

/** One pair of Node and Lambda's client. */
export interface LambdaRuntime {
  readonly nodeMajor: number;
  readonly node: string;
  /** 3.3.0 hands handlers a callback as third argument; 4.0.2 refuses those that declare one. */
  readonly client: '3.3.0' | '4.0.2';
}

const nodes = [
  { nodeMajor: Number.parseInt(process.versions.node), node: process.execPath },
  { nodeMajor: 22, node: join(cache, 'node-22/node_modules/.bin/node') },
  { nodeMajor: 24, node: join(cache, 'node-24/node_modules/.bin/node') },
];

/** Client 4 needs Node 22. */
export const lambdaRuntimes: readonly LambdaRuntime[] = [
  ...nodes.map((node) => ({ ...node, client: '3.3.0' as const })),
  ...nodes.slice(1).map((node) => ({ ...node, client: '4.0.2' as const })),
];

/** The arguments of `node` with which Lambda starts an environment for `handler`. */
export function argumentsOf({ client }: LambdaRuntime, handler: string): string[] {
  const folder = join(cache, `client-${client}`, 'node_modules', 'aws-lambda-ric');
  // The later client reads the handler's name from the environment.
  return client === '3.3.0'
    ? [join(folder, 'bin', 'index.mjs'), handler]
    : [join(folder, 'index.mjs')];
}

/** Installs what is missing of them. */
export function installRuntimes(): void {
  execFileSync(join(__dirname, 'install.sh'), { stdio: 'inherit' });
}
