/* The folders that the bench works in: the peer, the package as it was built, and what is bundled. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export const root = path.resolve(__dirname, '..', '..');

/**
 * Below the project, so that whatever is not installed here is the project's own: above all the AWS
 * SDK, one copy of which serves all contestants.
 */
export const workspace = path.join(root, '.cache', 'bench');

/**
 * What one run measures, from its first row to its last: a build or another run that starts
 * meanwhile changes nothing. The processes of a run inherit the variable.
 */
export const runFolder = (process.env['BENCH_RUN'] ??= path.join(
  workspace,
  `run-${String(process.pid)}`,
));

export const peer = '@aws-lambda-powertools/idempotency';
const dependencies = { [peer]: '2.35.0' };
const sdk = '@aws-sdk/client-dynamodb';

/** Makes the run's folder, which is there until this process ends. */
export function prepareWorkspace(): void {
  process.once('exit', () => {
    rmSync(runFolder, { recursive: true, force: true });
  });
  process.once('SIGINT', () => process.exit(130));
  installPeer();
  copyPackage();
  write(
    'packages.mjs',
    [
      "export * as mayfly from 'mayfly-idempotency';",
      "export * as mayflyDynamoDB from 'mayfly-idempotency/dynamodb';",
      "export * as mayflyCache from 'mayfly-idempotency/cache';",
      `export * as powertools from '${peer}';`,
      `export * as powertoolsDynamoDB from '${peer}/dynamodb';`,
    ].join('\n'),
  );
  checkThatThereIsOneSdk();
}

/** Writes a file of the run, and returns its path. */
export function write(file: string, content: string): string {
  const target = path.join(runFolder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, `${content}\n`);
  return target;
}

/** The versions that a figure is worth nothing without. */
export function versions(): Record<string, string> {
  const inProject = createRequire(path.join(root, 'package.json'));
  const versionOf = (name: string): string =>
    (inProject(`${name}/package.json`) as { version: string }).version;
  return {
    'mayfly-idempotency': versionOf('mayfly-idempotency'),
    [peer]: installedVersionOf(peer),
    [sdk]: versionOf(sdk),
    esbuild: versionOf('esbuild'),
    'Node.js': process.versions.node,
  };
}

function installedVersionOf(name: string): string {
  const manifest = path.join(workspace, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}

function installPeer(): void {
  const manifest = JSON.stringify({ private: true, dependencies });
  const installed = path.join(workspace, 'node_modules', '.installed.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === manifest) return;

  console.log(`installing ${peer} into ${workspace}`);
  mkdirSync(workspace, { recursive: true });
  writeFileSync(path.join(workspace, 'package.json'), manifest);
  execFileSync(
    'npm',
    // --prefix, so that npm cannot take another folder's manifest for this one.
    ['install', '--prefix', workspace, '--prefer-offline', '--no-audit', '--no-fund', '--silent'],
    { cwd: workspace, stdio: 'inherit' },
  );
  writeFileSync(installed, manifest);
}

/** A copy, as an installation is. */
function copyPackage(): void {
  const target = path.join(runFolder, 'node_modules', 'mayfly-idempotency');
  cpSync(path.join(root, 'dist'), path.join(target, 'dist'), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(target, 'package.json'));
}

/** A second one would make a ratio of two SDK versions out of every figure. */
function checkThatThereIsOneSdk(): void {
  const users = [
    root,
    path.join(workspace, 'node_modules', peer),
    path.join(runFolder, 'node_modules', 'mayfly-idempotency'),
  ];
  for (const name of [sdk, '@aws-sdk/util-dynamodb']) {
    const copies = users.map((user) =>
      createRequire(path.join(user, 'package.json')).resolve(name),
    );
    if (new Set(copies).size > 1) throw new Error(`Several copies of ${name}: ${copies.join()}`);
  }
}
