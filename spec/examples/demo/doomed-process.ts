import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { SQSEvent } from 'aws-lambda';
import type { OrderSubmitted } from '../sample-events.js';
import type { TableLocation } from './demo-table.js';

/** What the process that is going to be killed has to do. */
export interface DoomedTask {
  readonly location: TableLocation;
  readonly logFile: string;
  readonly delivery: DoomedDelivery;
}

/** Which event it handles, and at which moment it dies. */
export type DoomedDelivery =
  | { readonly dies: 'before-effect'; readonly event: SQSEvent }
  | { readonly dies: 'after-effect'; readonly event: OrderSubmitted };

/** Runs the handler in a process of its own and kills that in mid-run. Resolves to its id. */
export async function killInMidRun(task: DoomedTask): Promise<number> {
  const child = fork(join(__dirname, 'doomed-worker.ts'), [JSON.stringify(task)], {
    execArgv: ['-r', require.resolve('ts-node/register')],
    // The types were checked when this process loaded the same files.
    env: { ...process.env, TS_NODE_TRANSPILE_ONLY: 'true' },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('The process to be killed did not start');
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
  await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`The process to be killed ended by itself, with code ${String(code)}`);
    }),
  ]);
  child.kill('SIGKILL');
  await ended;
  return pid;
}
