import { AsyncLocalStorage } from 'node:async_hooks';
import { processState } from '../configuration/process-state.js';
import type { Call } from './call.js';

/** A run that is going on, as calls made inside it see it. */
export interface Run {
  /** Whose run it is; taken away when the method is over. */
  call: Call | undefined;
  /** The run that it was started in, where that still went on. */
  readonly outer: Run | undefined;
}

/** From now on calls see the runs that they are made in, and runs can be joined: who waits needs both. */
export function watchRuns(): void {
  processState.runs ??= new AsyncLocalStorage();
}

/** Whether any call may wait for another, so that each run has to be there to be joined. */
export function areRunsWatched(): boolean {
  return processState.runs !== undefined;
}

/** Runs the method of a call. */
export function runMethod(call: Call): unknown {
  const { runs } = processState;
  if (runs === undefined) return call.run();
  const run: Run = { call, outer: currentRun() };
  return runs.run(run, async () => {
    try {
      return await call.run();
    } finally {
      run.call = undefined;
    }
  });
}

/** Whether a call is made inside a run of the very key it wants: waiting for that would never end. */
export function isInsideOwnRun({ store, id }: Call): boolean {
  for (let run = currentRun(); run !== undefined; run = goingOn(run.outer)) {
    if (run.call?.id === id && run.call.store === store) return true;
  }
  return false;
}

/**
 * The innermost run that the current code belongs to. Not one that is over: what it left behind (a
 * timer, a queue) is inside it no more, and must not keep it in memory.
 */
export function currentRun(): Run | undefined {
  return goingOn(processState.runs?.getStore() as Run | undefined);
}

function goingOn(run: Run | undefined): Run | undefined {
  let found = run;
  while (found !== undefined && found.call === undefined) found = found.outer;
  return found;
}
