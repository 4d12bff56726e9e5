import { processState } from './process-state.js';

/** Codes of the process warnings, for `node --disable-warning` and for `process.on('warning')`. */
export type WarningCode =
  | 'MAYFLY_DISABLED'
  | 'MAYFLY_MINIFIED_NAME'
  | 'MAYFLY_SHARED_NAMESPACE'
  | 'MAYFLY_REPLAY_DIFFERS'
  | 'MAYFLY_COMPLETION_FAILED'
  | 'MAYFLY_LISTENER_FAILED';

/** Namespaces may be made at run time; what a process remembers of them must not grow for ever. */
const MAX_REMEMBERED = 1000;

/** Whether `key` is new to `seen`, which then remembers it; `false` once it remembers enough. */
export function isFirst(seen: Set<string>, key: string): boolean {
  if (seen.has(key) || seen.size >= MAX_REMEMBERED) return false;
  seen.add(key);
  return true;
}

/** Gives a process warning, once per `key` and process. */
export function warnOnce(key: string, code: WarningCode, message: string): void {
  if (!isFirst(processState.warnings, key)) return;
  process.emitWarning(message, { type: 'IdempotencyWarning', code });
}
