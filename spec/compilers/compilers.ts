/* The compilers, each as its users call it, and the dialects it knows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run, type Command } from './commands.js';
import {
  fileOf,
  filesIn,
  nodeOf,
  requireFrom,
  sourcesOf,
  versionOf,
  workspace,
  type Dialect,
  type Group,
} from './workspace.js';

/** One that writes JavaScript, which is then run as it is and minified. */
export interface Compiler {
  readonly name: string;
  readonly dialect: Dialect;
  /** A file of the fixture that it cannot compile. */
  readonly lacks?: typeof COMPUTED;
  /** Fills the folder; absent where esbuild takes the sources as they are. */
  readonly compile?: (target: string) => Promise<void>;
}

/** One that compiles while it runs. */
export interface Runner {
  readonly name: string;
  readonly dialect: Dialect;
  readonly command: Command;
}

/** What has to fail, and how; to run it without protection would be the fault. */
export interface Refusal {
  readonly name: string;
  readonly dialect: Dialect;
  readonly attempt: (target: string) => Promise<unknown>;
  readonly message: RegExp;
}

const COMPUTED = 'computed.ts';

const tscVersions = ['5.4', '5.9', '6.0', '7.0'] as const;
const both = ['legacy', 'standard'] as const;

export const compilers: readonly Compiler[] = [
  ...tscVersions.flatMap((version) => both.map((dialect) => tsc(version, dialect))),
  ...both.map((dialect) => ({ name: `esbuild ${versionOf('esbuild')}`, dialect })),
  swc('legacy', { legacyDecorator: true, decoratorMetadata: true }),
  swc('standard', { decoratorVersion: '2022-03' }),
  swc('standard', { decoratorVersion: '2023-11' }),
  babel('.', 'legacy'),
  babel('.', '2023-11'),
  babel('babel-7', 'legacy'),
  babel('babel-7', '2023-11'),
  babel('babel-7', '2022-03'),
];

export const runners: readonly Runner[] = both.flatMap((dialect) => [
  {
    name: `tsx ${versionOf('tsx')}`,
    dialect,
    command: {
      file: process.execPath,
      args: [
        '--import',
        // Not resolved: this list is made before anything is installed.
        pathToFileURL(fileOf('.', 'tsx', 'dist', 'loader.mjs')).href,
        `${dialect}-only/main.ts`,
      ],
      cwd: sourcesOf(dialect),
    },
  },
  vitest('vitest-3', dialect, process.execPath),
  dialect === 'legacy'
    ? vitest('.', dialect, nodeOf('24'))
    : vitest('.', dialect, nodeOf('24'), ['--config', 'vitest.swc.mjs']),
]);

export const refusals: readonly Refusal[] = [
  {
    ...babel('babel-7', '2018-09'),
    // Decorators of that year get one descriptor of their own kind: neither dialect.
    message: /Expected the arguments of a legacy decorator.*"experimentalDecorators"/u,
    attempt: async (target) => {
      await babel('babel-7', '2018-09').compile?.(target);
      await run({ file: process.execPath, args: [mainOf(target, 'legacy')], cwd: target });
    },
  },
  {
    ...vitest('.', 'standard', nodeOf('24')),
    // Vite 8 leaves standard decorators to the engine, and no engine knows them yet.
    message: /SyntaxError/u,
    attempt: () => run(vitest('.', 'standard', nodeOf('24')).command),
  },
];

/** The compiled entry of a dialect. */
export function mainOf(directory: string, dialect: Dialect, extension = '.js'): string {
  return path.join(directory, `${dialect}-only`, `main${extension}`);
}

function tsc(version: (typeof tscVersions)[number], dialect: Dialect): Compiler {
  const alias = `typescript-${version}`;
  return {
    name: `tsc ${versionOf(alias)}`,
    dialect,
    compile: async (target) => {
      await run({
        file: process.execPath,
        args: [fileOf('.', alias, 'bin', 'tsc'), '-p', '.', '--outDir', target],
        cwd: sourcesOf(dialect),
      });
    },
  };
}

interface Swc {
  readonly transformFile: (file: string, options: object) => Promise<{ readonly code: string }>;
}

function swc(
  dialect: Dialect,
  transform: { legacyDecorator?: true; decoratorMetadata?: true; decoratorVersion?: string },
): Compiler {
  const version = transform.decoratorVersion === undefined ? '' : ` ${transform.decoratorVersion}`;
  return {
    name: `swc ${versionOf('@swc/core')}${version}`,
    dialect,
    compile: async (target) => {
      const { transformFile } = requireFrom('.')('@swc/core') as Swc;
      const source = sourcesOf(dialect);
      for (const file of filesIn(source, '.ts')) {
        const { code } = await transformFile(path.join(source, file), {
          swcrc: false,
          module: { type: 'es6' },
          jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true }, transform },
        });
        const output = path.join(target, file.replace(/\.ts$/u, '.js'));
        mkdirSync(path.dirname(output), { recursive: true });
        writeFileSync(output, code);
      }
    },
  };
}

function babel(group: Group & ('.' | 'babel-7'), version: string): Compiler {
  // The decorators of 2018 came before `accessor`, so they are given the members of the legacy ones.
  const dialect = version === 'legacy' || version === '2018-09' ? 'legacy' : 'standard';
  return {
    name: `Babel ${versionOf('@babel/core', group)} ${version}`,
    dialect,
    ...(dialect === 'legacy' && { lacks: COMPUTED }),
    compile: async (target) => {
      const source = sourcesOf(dialect);
      const job = {
        packages: path.join(workspace, group),
        source,
        target,
        files: filesIn(source, '.ts').filter((file) => dialect === 'standard' || file !== COMPUTED),
        // Without it Babel 7 drops a field that it has made itself, and with it the class.
        typescript: group === 'babel-7' ? { allowDeclareFields: true } : {},
        plugins:
          version === '2018-09'
            ? [
                ['@babel/plugin-proposal-decorators', { version, decoratorsBeforeExport: true }],
                ['@babel/plugin-transform-class-properties'],
              ]
            : [['@babel/plugin-proposal-decorators', { version }]],
      };
      await run({
        file: nodeOf('24'),
        args: [path.join(__dirname, 'babel.mjs'), JSON.stringify(job)],
        cwd: workspace,
      });
      if (dialect === 'legacy') {
        writeFileSync(
          path.join(target, 'computed.js'),
          'export const computedMembers = () => Promise.resolve({});\n',
        );
      }
    },
  };
}

function vitest(
  group: Group & ('.' | 'vitest-3'),
  dialect: Dialect,
  node: string,
  config: readonly string[] = [],
): Runner {
  const args = ['run', '--globals', '--disable-console-intercept', '--reporter=dot', ...config];
  // Its cache of compiled modules does not notice another tsconfig.json.
  if (group === '.') args.push('--fsModuleCache=false');
  const plugin = config.length === 0 ? '' : ` with @rollup/plugin-swc`;
  return {
    name: `vitest ${versionOf('vitest', group)} (Vite ${versionOf('vite', group)})${plugin}`,
    dialect,
    command: {
      file: node,
      args: [fileOf(group, 'vitest', 'vitest.mjs'), ...args],
      cwd: sourcesOf(dialect),
    },
  };
}
