/* The folder that the compilers are installed in, and everything of the fixture that goes there. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export type Dialect = 'legacy' | 'standard';
export const dialects: readonly Dialect[] = ['legacy', 'standard'];

const root = path.resolve(__dirname, '..', '..');
const fixture = path.join(__dirname, 'fixture');

/** Outside of `spec/`, and below no other package's `node_modules` but the project's own. */
export const workspace = path.join(root, '.cache', 'compilers');
export const stripped = path.join(workspace, 'stripped');

export type Group = '.' | 'babel-7' | 'vitest-3';

const versions = JSON.parse(readFileSync(path.join(__dirname, 'versions.json'), 'utf8')) as Record<
  Group,
  Record<string, string>
>;

/** The installed version of a package; aliases are `npm:name@version`. */
export function versionOf(name: string, group: Group = '.'): string {
  return (versions[group][name] ?? '').replace(/^npm:.*@/u, '');
}

/** What `require` finds among the packages of one group. */
export function requireFrom(group: Group): NodeJS.Require {
  return createRequire(path.join(workspace, group, 'package.json'));
}

/** The file of an installed package, whatever its `exports` let through. */
export function fileOf(group: Group, ...segments: readonly string[]): string {
  return path.join(workspace, group, 'node_modules', ...segments);
}

/** A Node.js of its own, installed from the registry: `nodeOf('24')`. */
export function nodeOf(major: '20' | '22' | '24'): string {
  return fileOf('.', `node-${major}`, 'bin', 'node');
}

/** The fixture's sources in one dialect, with the tsconfig.json that chooses it. */
export function sourcesOf(dialect: Dialect): string {
  return path.join(workspace, dialect);
}

export function prepareWorkspace(): void {
  for (const group of Object.keys(versions) as Group[]) install(group);
  copyPackage();
  for (const dialect of dialects) writeSources(dialect);
  writeStripped();
  rmSync(path.join(workspace, 'out'), { recursive: true, force: true });
}

/** Each group has a folder of its own: two majors of one tool do not share their peers. */
function install(group: Group): void {
  const directory = path.join(workspace, group);
  const manifestFile = path.join(directory, 'package.json');
  const installedFile = path.join(directory, 'node_modules', '.installed.json');
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: versions[group] });
  if (existsSync(installedFile) && readFileSync(installedFile, 'utf8') === manifest) return;

  console.log(`installing ${Object.keys(versions[group]).join(', ')}`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(manifestFile, manifest);
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent'], {
    cwd: directory,
    stdio: 'inherit',
  });
  writeFileSync(installedFile, manifest);
}

/** A copy, as an installation is: a link would lead compilers into the project's own sources. */
function copyPackage(): void {
  const target = path.join(workspace, 'node_modules', 'mayfly-idempotency');
  rmSync(target, { recursive: true, force: true });
  cpSync(path.join(root, 'dist'), path.join(target, 'dist'), { recursive: true });
  cpSync(path.join(root, 'package.json'), path.join(target, 'package.json'));
}

function writeSources(dialect: Dialect): void {
  const target = sourcesOf(dialect);
  rmSync(target, { recursive: true, force: true });
  for (const file of ['report.ts', 'orders.ts', 'members.ts', 'computed.ts', `${dialect}-only`]) {
    cpSync(path.join(fixture, file), path.join(target, file), { recursive: true });
  }
  cpSync(path.join(__dirname, 'vitest.swc.mjs'), path.join(target, 'vitest.swc.mjs'));
  writeFileSync(
    path.join(target, 'fixture.test.ts'),
    `test('fixture', async () => (await import('./${dialect}-only/main.js')).printed);\n`,
  );
  const switches =
    dialect === 'legacy' ? { experimentalDecorators: true, emitDecoratorMetadata: true } : {};
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: ['node'],
    strict: true,
    isolatedModules: true,
    declaration: true,
    rootDir: '.',
    ...switches,
  };
  writeFileSync(
    path.join(target, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, exclude: ['*.test.ts'] }, null, 2),
  );
}

/** Node.js reads the files as they are, so the specifiers have to name them as they are. */
function writeStripped(): void {
  rmSync(stripped, { recursive: true, force: true });
  mkdirSync(stripped, { recursive: true });
  for (const file of ['report.ts', 'stripped.ts']) {
    const source = readFileSync(path.join(fixture, file), 'utf8');
    writeFileSync(
      path.join(stripped, file),
      source.replaceAll(/(?<=from '\.\/\w+)\.js(?=')/gu, '.ts'),
    );
  }
}

/** The names of a folder's files with an extension, those in its folders included. */
export function filesIn(directory: string, extension: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith(extension) && !file.endsWith(`.test${extension}`),
  );
}
