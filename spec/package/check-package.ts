/*
 * `npm run test:package`: packs the package as it would be published, looks at what is in the
 * tarball, installs it into empty projects and uses it there.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { checkTarball } from './check-tarball.js';

const root = path.resolve(__dirname, '..', '..');
const consumers = path.join(__dirname, 'consumers');
const awsPackages = ['@aws-sdk/client-dynamodb'];
const moduleTypes = ['module', 'commonjs'] as const;

/** Where the files of each format are. */
const folders = { module: '/dist/esm/', commonjs: '/dist/' } as const;

type ModuleType = (typeof moduleTypes)[number];

const failures: string[] = [];
let passed = 0;

async function check(name: string, run: () => void | Promise<void>): Promise<void> {
  try {
    await run();
    passed++;
    console.log(`  ✔ ${name}`);
  } catch (error) {
    failures.push(name);
    console.log(`  ✘ ${name}\n${describeFailure(error).replace(/^/gm, '      ')}`);
  }
}

/** A failed command's message holds what it wrote to standard error, but tsc writes to the other. */
function describeFailure(error: unknown): string {
  const { stdout, message } = error as { stdout?: string; message: string };
  return [message, stdout].filter(Boolean).join('\n');
}

async function main(): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'mayfly-idempotency-'));
  try {
    const tarball = pack(scratch);
    await checkTarball(tarball, check);
    for (const type of moduleTypes) await checkUse(type, tarball, scratch);
    await checkBothCopies(tarball, scratch);
    await checkLink(tarball, scratch);
    await checkProgram(tarball, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(`\n${String(passed)} passed, ${String(failures.length)} failed`);
  if (failures.length > 0) process.exitCode = 1;
}

function pack(scratch: string): string {
  run('npm', ['pack', '--silent', '--pack-destination', scratch], root);
  const name = readdirSync(scratch).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm pack made no tarball');
  return path.join(scratch, name);
}

async function checkUse(type: ModuleType, tarball: string, scratch: string): Promise<void> {
  const withAws = makeProject(path.join(scratch, `${type}-aws`), type, tarball, awsPackages);
  for (const dialect of ['legacy', 'standard'] as const) {
    await check(`${type}: compiles and runs with ${dialect} decorators`, () => {
      const checkDeclarations = type === 'module' && dialect === 'standard';
      compile(withAws, 'with-dynamodb.ts', dialect, { checkDeclarations });
      runNode(withAws, ['with-dynamodb.js']);
    });
  }
  await check(`${type}: loads no AWS module while the table variable is unset`, () => {
    writeFileSync(path.join(withAws, 'import.js'), importOf(type));
    const loaded = loadedModules(withAws, {});
    if (!loaded.includes(`${folders[type]}index.js`)) throw new Error(loaded);
    if (loaded.includes('aws-sdk')) throw new Error(loaded);
  });
  await check(`${type}: loads its own format's DynamoDB store when it is set`, () => {
    checkPreload(withAws, type);
  });
  await check(`${type}: runs bundled with the DynamoDB store`, async () => {
    const bundle = await bundleOf(
      withAws,
      'with-dynamodb.js',
      path.join(scratch, `${type}-aws-bundle`),
      'cjs',
    );
    runNode(path.dirname(bundle), [bundle]);
  });

  const bare = makeProject(path.join(scratch, `${type}-bare`), type, tarball, []);
  await check(`${type}: runs without the AWS SDK`, () => {
    compile(bare, 'core-alone.ts', 'standard');
    runNode(bare, ['core-alone.js']);
  });
  // esbuild cannot put what uses `require` into an ES module.
  for (const format of type === 'module' ? (['esm', 'cjs'] as const) : (['cjs'] as const)) {
    await check(`${type}: runs bundled (${format}) without the AWS SDK`, async () => {
      const bundle = await bundleOf(
        bare,
        'core-alone.js',
        path.join(scratch, `${type}-bare-${format}`),
        format,
      );
      runNode(path.dirname(bundle), [bundle]);
      runNode(path.dirname(bundle), [bundle], { MAYFLY_IDEMPOTENCY_TABLE: 'orders' });
    });
  }
}

/** Whether the core finds the DynamoDB store of its own format by the package's name. */
function checkPreload(project: string, type: ModuleType): void {
  writeFileSync(path.join(project, 'import.js'), importOf(type));
  const loaded = loadedModules(project, { MAYFLY_IDEMPOTENCY_TABLE: 'orders' });
  const ours = loaded.split('\n').filter((line) => /\/dist\/[\w/-]+\.js$/.test(line));
  const own = new RegExp(`${type === 'module' ? '/dist/esm' : '/dist'}/[\\w-]+\\.js$`);
  const found = ours.some((line) => line.endsWith(`${folders[type]}dynamodb.js`));
  if (!found || !loaded.includes('aws-sdk')) throw new Error(loaded);
  const strange = ours.filter((line) => line.includes('mayfly') && !own.test(line));
  if (strange.length > 0) throw new Error(strange.join('\n'));
}

/** As `npm link` and workspaces have it: the files' real place is below no node_modules. */
async function checkLink(tarball: string, scratch: string): Promise<void> {
  const elsewhere = path.join(scratch, 'mayfly-elsewhere');
  mkdirSync(elsewhere);
  run('tar', ['-xzf', tarball, '-C', elsewhere], scratch);
  linkPackages(elsewhere, awsPackages);
  for (const type of moduleTypes) {
    await check(`${type}: loads its own format's DynamoDB store through a link`, () => {
      const project = path.join(scratch, `${type}-link`);
      mkdirSync(path.join(project, 'node_modules'), { recursive: true });
      writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type }));
      const link = path.join(project, 'node_modules', 'mayfly-idempotency');
      symlinkSync(path.join(elsewhere, 'package'), link, 'dir');
      checkPreload(project, type);
    });
  }
}

function programIn(project: string): string {
  return path.join(project, 'node_modules', '.bin', 'mayfly-idempotency');
}

async function checkProgram(tarball: string, scratch: string): Promise<void> {
  const bare = makeProject(path.join(scratch, 'program-bare'), 'module', tarball, []);
  await check('the command line says what it needs where that is not installed', () => {
    const { status, stderr } = spawnSync(programIn(bare), ['--help'], {
      encoding: 'utf8',
      env: environment({}),
    });
    const expected = 'The command line needs @aws-sdk/client-dynamodb';
    if (status !== 1 || !stderr.startsWith(expected) || stderr.includes('    at ')) {
      throw new Error(`${String(status)}: ${stderr}`);
    }
  });
  const project = makeProject(path.join(scratch, 'program'), 'module', tarball, awsPackages);
  await check('the command line runs as it is installed', () => {
    const help = execFileSync(programIn(project), ['--help'], {
      encoding: 'utf8',
      env: environment({}),
    });
    if (!help.includes('create-table')) throw new Error(help);
  });
}

async function checkBothCopies(tarball: string, scratch: string): Promise<void> {
  const project = makeProject(path.join(scratch, 'two-copies'), 'module', tarball, awsPackages);
  await check('an ES module copy and a CommonJS copy in one process work together', () => {
    copyConsumer('two-copies.mjs', project);
    runNode(project, ['two-copies.mjs']);
  });
  await check('each entry exports the same in both formats', () => {
    copyConsumer('every-entry.mjs', project);
    runNode(project, ['every-entry.mjs']);
  });
}

/** An empty project with the tarball installed and links to those packages that it is to have. */
function makeProject(
  directory: string,
  type: ModuleType,
  tarball: string,
  packages: readonly string[],
): string {
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ private: true, type }));
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', '--silent', tarball],
    directory,
  );
  linkPackages(directory, [...packages, '@types/node']);
  return directory;
}

function linkPackages(directory: string, packages: readonly string[]): void {
  for (const name of packages) {
    const link = path.join(directory, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), link, 'dir');
  }
}

/**
 * Compiles as users do. The declarations are the same in all projects; checking them, and the SDK's
 * with them, takes far longer than the rest and is done once.
 */
function compile(
  project: string,
  consumer: string,
  dialect: 'legacy' | 'standard',
  { checkDeclarations = false } = {},
): void {
  copyConsumer(consumer, project);
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
    skipLibCheck: !checkDeclarations,
    experimentalDecorators: dialect === 'legacy',
  };
  writeFileSync(
    path.join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [consumer] }),
  );
  run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', project], project);
}

async function bundleOf(
  project: string,
  compiled: string,
  directory: string,
  format: 'esm' | 'cjs',
): Promise<string> {
  const outfile = path.join(directory, `bundle.${format === 'esm' ? 'mjs' : 'cjs'}`);
  const { warnings } = await build({
    absWorkingDir: project,
    entryPoints: [compiled],
    outfile,
    format,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'silent',
    tsconfigRaw: {},
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
  const size = statSync(outfile).size;
  console.log(`    ${path.basename(directory)}: ${String(Math.round(size / 1024))} KB`);
  return outfile;
}

function importOf(type: ModuleType): string {
  return type === 'module' ? "import 'mayfly-idempotency';\n" : "require('mayfly-idempotency');\n";
}

function loadedModules(project: string, env: NodeJS.ProcessEnv): string {
  copyConsumer('list-loaded-modules.mjs', project);
  const args = ['--no-warnings', '--import', './list-loaded-modules.mjs', 'import.js'];
  return execFileSync('/bin/sh', ['-c', '"$0" "$@" 2>&1', process.execPath, ...args], {
    cwd: project,
    env: environment(env),
    encoding: 'utf8',
  });
}

function copyConsumer(name: string, project: string): void {
  cpSync(path.join(consumers, name), path.join(project, name));
}

function runNode(directory: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  run(process.execPath, ['--no-warnings', ...args], directory, env);
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): void {
  execFileSync(command, args, { cwd, env: environment(env), encoding: 'utf8', stdio: 'pipe' });
}

/** The environment without what would change the outcome. */
function environment(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { MAYFLY_IDEMPOTENCY_TABLE: _table, NODE_OPTIONS: _options, ...rest } = process.env;
  return { ...rest, ...extra };
}

void main();
