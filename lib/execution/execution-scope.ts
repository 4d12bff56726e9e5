import { AsyncLocalStorage } from 'node:async_hooks';
import { processState } from '../configuration/process-state.js';
import type { Call } from './call.js';
import type { CurrentExecution } from './current-execution.js';
import type { DeferredWrites } from './deferred-writes.js';

/** A run that is going on, as the code inside it can see it. */
export interface ExecutionScope {
  /** Whose run it is; absent where it has no key. */
  readonly call: Pick<Call, 'id' | 'store'> | undefined;
  /** What the method can know of it; absent where it has no key. */
  readonly execution: CurrentExecution | undefined;
  readonly writes: DeferredWrites;
  /** The run that this one was called in, where that still went on. */
  readonly outer: ExecutionScope | undefined;
}

/** Makes runs know of themselves from now on. */
export function trackExecutions(): void {
  processState.executions ??= new AsyncLocalStorage();
}

/** Whether anybody asked for that. */
export function areExecutionsTracked(): boolean {
  return processState.executions !== undefined;
}

/** The innermost run that the current code belongs to, where runs are tracked. */
export function currentScope(): ExecutionScope | undefined {
  return processState.executions?.getStore() as ExecutionScope | undefined;
}

/**
 * The same, but not a run that is over: what it left behind (a timer, a queue) is inside it no more,
 * and must not keep it in memory.
 */
export function runningScope(): ExecutionScope | undefined {
  return runningFrom(currentScope());
}

function runningFrom(scope: ExecutionScope | undefined): ExecutionScope | undefined {
  let running = scope;
  while (running?.writes.isClosed === true) running = running.outer;
  return running;
}

/** Runs `run` inside a scope; without one, just runs it. */
export function runInScope(scope: ExecutionScope | undefined, run: () => unknown): unknown {
  if (scope === undefined || processState.executions === undefined) return run();
  return processState.executions.run(scope, run);
}

/** Whether a call is made inside a run of the very key it wants: waiting for that would never end. */
export function isInsideOwnRun({ store, id }: Call): boolean {
  for (let scope = runningScope(); scope !== undefined; scope = runningFrom(scope.outer)) {
    if (scope.call?.id === id && scope.call.store === store) return true;
  }
  return false;
}
