/*
 * `npm run test:compilers`: one fixture through every compiler that the README names, in both
 * dialects, minified and not. Each build has to do exactly the same; see expected.ts.
 *
 * `npm run test:compilers -- esbuild` runs the rows with that word in them.
 */
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { inParallel, run } from './commands.js';
import {
  compilers,
  mainOf,
  refusals,
  runners,
  type Compiler,
  type Refusal,
  type Runner,
} from './compilers.js';
import {
  differences,
  minified,
  namesKept,
  plain,
  strippedDifferences,
  type Report,
  type Variant,
} from './expected.js';
import {
  dialects,
  nodeOf,
  prepareWorkspace,
  requireFrom,
  sourcesOf,
  stripped,
  versionOf,
  workspace,
  type Dialect,
} from './workspace.js';

interface Row {
  readonly name: string;
  readonly dialect: string;
  /** `ok` or what is wrong, by variant. */
  readonly cells: Readonly<Record<string, string>>;
}

interface Task {
  readonly name: string;
  readonly run: () => Promise<Row>;
}

const OK = 'ok';
/** As good: the compiler has renamed a class, and a process warning says so. */
const WARNED = 'ok, warned';
const FINE: readonly string[] = [OK, WARNED];

async function main(): Promise<void> {
  const startedMs = performance.now();
  prepareWorkspace();
  const installedMs = performance.now();

  const [wanted = ''] = process.argv.slice(2);
  const tasks = [
    ...compilers.map(compilerTask),
    ...runners.map(runnerTask),
    ...refusals.map(refusalTask),
    ...(['20', '22', '24'] as const).flatMap((major) =>
      dialects.map((dialect) => nodeTask(major, dialect)),
    ),
    ...(['22', '24'] as const).map(strippedTask),
  ].filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const rows = await inParallel(
    availableParallelism(),
    tasks.map((task) => task.run),
  );

  printTable(rows);
  const failed = rows.filter(({ cells }) =>
    Object.values(cells).some((cell) => !FINE.includes(cell)),
  );
  const seconds = (performance.now() - installedMs) / 1000;
  console.log(
    `\n${String(rows.length - failed.length)} of ${String(rows.length)} rows ok, ` +
      `${seconds.toFixed(1)} s after ${((installedMs - startedMs) / 1000).toFixed(1)} s of set-up`,
  );
  if (failed.length > 0 || rows.length === 0) process.exitCode = 1;
}

/** Compiles, then runs what came out as it is, minified, and minified with names kept. */
function compilerTask(compiler: Compiler): Task {
  const { name, dialect, compile } = compiler;
  const target = outputOf(name, dialect);
  const entry = compile ? mainOf(target, dialect) : mainOf(sourcesOf(dialect), dialect, '.ts');
  const check = (variant: Variant): Promise<string> =>
    cell(async () => {
      const isRunAsItIs = variant === plain && compile !== undefined;
      const file = isRunAsItIs ? entry : await bundle(entry, target, variant);
      return judged(await reportOf(process.execPath, file), compiler, variant);
    });
  return {
    name: `${name} ${dialect}`,
    run: async () => {
      const compiled = await cell(async () => {
        await compile?.(target);
        return OK;
      });
      const cells =
        compiled === OK
          ? {
              [plain]: await check(plain),
              [minified]: await check(minified),
              [namesKept]: await check(namesKept),
            }
          : { compiles: compiled };
      return { name, dialect, cells };
    },
  };
}

function runnerTask(runner: Runner): Task {
  const { name, dialect, command } = runner;
  return {
    name: `${name} ${dialect}`,
    run: async () => {
      const outcome = await cell(async () => judged(reportIn(await run(command)), runner, plain));
      return { name, dialect, cells: { [plain]: outcome } };
    },
  };
}

function refusalTask({ name, dialect, attempt, message }: Refusal): Task {
  return {
    name: `${name} ${dialect}`,
    run: async () => {
      const outcome = await cell(async () => {
        const refused = await attempt(outputOf(name, dialect)).then(
          () => 'it ran',
          (error: unknown) => String(error),
        );
        return message.test(refused) ? OK : refused;
      });
      return { name, dialect, cells: { 'is refused': outcome } };
    },
  };
}

/** The output of one compiler on each supported Node.js. */
function nodeTask(major: '20' | '22' | '24', dialect: Dialect): Task {
  const name = `Node.js ${versionOf(`node-${major}`)}`;
  return {
    name: `${name} ${dialect}`,
    run: async () => {
      const outcome = await cell(async () => {
        const compiler = compilers.find(
          (known) => known.name.startsWith('swc') && known.dialect === dialect,
        );
        const target = outputOf(name, dialect);
        await compiler?.compile?.(target);
        return judged(await reportOf(nodeOf(major), mainOf(target, dialect)), { dialect }, plain);
      });
      return { name, dialect, cells: { [plain]: outcome } };
    },
  };
}

/** `makeIdempotent` from a .ts file, which Node.js runs by leaving the types out. */
function strippedTask(major: '22' | '24'): Task {
  const name = `Node.js ${versionOf(`node-${major}`)} type stripping`;
  return {
    name,
    run: async () => {
      const outcome = await cell(async () =>
        told(
          strippedDifferences({
            ...(await reportOf(nodeOf(major), path.join(stripped, 'stripped.ts'))),
          }),
        ),
      );
      return { name, dialect: 'makeIdempotent', cells: { [plain]: outcome } };
    },
  };
}

function outputOf(name: string, dialect: Dialect): string {
  return path.join(workspace, 'out', `${name} ${dialect}`.replaceAll(/\W+/gu, '-'));
}

interface Esbuild {
  readonly build: (options: object) => Promise<unknown>;
}

async function bundle(entry: string, target: string, variant: Variant): Promise<string> {
  const { build } = requireFrom('.')('esbuild') as Esbuild;
  const outfile = path.join(target, `${variant.replaceAll(/\W+/gu, '-')}.js`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    minify: variant !== plain,
    keepNames: variant === namesKept,
    logLevel: 'silent',
  });
  return outfile;
}

async function reportOf(node: string, file: string): Promise<Report> {
  return reportIn(await run({ file: node, args: [file], cwd: path.dirname(file) }));
}

/** The one line of JSON among what test runners write around it. */
function reportIn(output: string): Report {
  const line = output.split('\n').find((text) => text.startsWith('{"'));
  if (line === undefined) throw new Error(`no report in: ${output}`);
  return JSON.parse(line) as Report;
}

function judged(
  report: Report,
  compiler: Parameters<typeof differences>[1],
  variant: Variant,
): string {
  return told(differences(report, compiler, variant), report.warnings);
}

function told(found: readonly string[], warnings: readonly string[] = []): string {
  if (found.length > 0) return found.join('\n');
  return warnings.length > 0 ? WARNED : OK;
}

async function cell(check: () => Promise<string>): Promise<string> {
  try {
    return await check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function printTable(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, dialect, cells } of rows) {
    const summary = Object.entries(cells)
      .map(([variant, outcome]) => `${variant} ${FINE.includes(outcome) ? outcome : 'FAILED'}`)
      .join(' · ');
    console.log(`${name.padEnd(width)}  ${dialect.padEnd(14)}  ${summary}`);
    for (const [variant, outcome] of Object.entries(cells)) {
      if (!FINE.includes(outcome))
        console.log(`${variant}: ${shortened(outcome)}`.replaceAll(/^/gmu, '    '));
    }
  }
}

/** A minified bundle is one line, and a stack trace quotes it. */
function shortened(text: string): string {
  return text.replaceAll(/^.{500}(?=.)/gmu, '$&…').replaceAll(/(?<=…).*$/gmu, '');
}

void main();
