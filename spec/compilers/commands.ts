import { execFile } from 'node:child_process';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What a command wrote to standard output; a failed one rejects with all that it wrote. */
export function run({ file, args, cwd }: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      file,
      args,
      { cwd, env: environment(), timeout: 120_000, maxBuffer: 2 ** 24 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error([stderr, stdout].join('\n').trim() || error.message));
      },
    );
  });
}

/** Without what this run's own loaders and variables would change in the fixture. */
function environment(): NodeJS.ProcessEnv {
  const passedOn = Object.entries(process.env).filter(
    ([name]) => !/^(?:NODE_|TS_NODE_|MAYFLY_|AWS_|VITEST)/u.test(name),
  );
  return Object.fromEntries([...passedOn, ['NO_COLOR', '1']]);
}

/** Runs tasks, so many at a time, and keeps their order. */
export async function inParallel<T>(
  limit: number,
  tasks: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const results: T[] = [];
  const waiting = tasks.entries();
  const worker = async (): Promise<void> => {
    for (const [i, task] of waiting) results[i] = await task();
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
