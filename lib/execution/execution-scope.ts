import { AsyncLocalStorage } from 'node:async_hooks';
import { processState } from '../configuration/process-state.js';
import type { Call } from './call.js';

/** A run that is going on, as the code inside it can see it. */
export interface ExecutionScope {
  readonly call: Pick<Call, 'id' | 'store'>;
  /** The run that this one was called in. */
  readonly outer: ExecutionScope | undefined;
}

/** Makes runs know of themselves from now on. */
export function trackExecutions(): void {
  processState.executions ??= new AsyncLocalStorage();
}

/** The innermost run that the current code belongs to, where runs are tracked. */
export function currentScope(): ExecutionScope | undefined {
  return processState.executions?.getStore() as ExecutionScope | undefined;
}

/** Runs `run` inside a scope. */
export function runInScope(scope: ExecutionScope, run: () => unknown): unknown {
  return processState.executions === undefined ? run() : processState.executions.run(scope, run);
}

/** Whether a call is made inside a run of the very key it wants: waiting for that would never end. */
export function isInsideOwnRun({ store, id }: Call): boolean {
  for (let scope = currentScope(); scope !== undefined; scope = scope.outer) {
    if (scope.call.id === id && scope.call.store === store) return true;
  }
  return false;
}
