import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

/** The root of this repository: children of source programs run there. */
export const root = resolve(__dirname, '../..');

export interface ChildOutcome {
  /** Exit code; `null` where a signal ended the child. */
  readonly status: number | null;
  /** What the program printed, as JSON where it is. */
  readonly output: unknown;
  readonly stderr: string;
}

export interface ChildOptions {
  readonly cwd?: string;
  /** Modules loaded first. Default: what compiles TypeScript. */
  readonly requires?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a CommonJS program in a Node process of its own, without any of our variables. */
export function runChild(program: string, options: ChildOptions = {}): Promise<ChildOutcome> {
  const { cwd = root, requires = ['ts-node/register'], env = {} } = options;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(MAYFLY|AWS)_|^NODE_OPTIONS$/u.test(name),
  );
  return new Promise((settle) => {
    const child = execFile(
      process.execPath,
      [...requires.flatMap((each) => ['-r', each]), '-e', program],
      { cwd, env: { ...Object.fromEntries(inherited), TS_NODE_TRANSPILE_ONLY: 'true', ...env } },
      (_error, stdout, stderr) => {
        settle({ status: child.exitCode, output: parsed(stdout), stderr });
      },
    );
  });
}

function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout) as unknown;
  } catch {
    return stdout;
  }
}
