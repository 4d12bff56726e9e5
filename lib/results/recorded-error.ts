import { hide } from '../errors/idempotency-error.js';
import type { RecordedError } from '../store/idempotency-store.js';

/** Longer messages are cut: a record is no log. */
const MAX_MESSAGE_BYTES = 4096;

const REPLAYED = Symbol.for('mayfly-idempotency.replayed-error');

interface Replayed {
  [REPLAYED]?: boolean;
}

/**
 * What is kept of an error: name, message, code and status, where they have the usual types. Never
 * throws, whatever was thrown: its caller has an error to pass on.
 */
export function recordedError(error: unknown): RecordedError {
  if ((typeof error !== 'object' && typeof error !== 'function') || error === null) {
    return { name: 'Error', message: cut(String(error)) };
  }
  const [name, message, code, statusCode] = ['name', 'message', 'code', 'statusCode'].map((each) =>
    memberOf(error, each),
  );
  return {
    name: typeof name === 'string' ? cut(name) : 'Error',
    message: typeof message === 'string' ? cut(message) : '',
    ...(typeof code === 'string' ? { code: cut(code) } : {}),
    ...(typeof code === 'number' && Number.isFinite(code) ? { code } : {}),
    ...(typeof statusCode === 'number' && Number.isFinite(statusCode) ? { statusCode } : {}),
  };
}

function memberOf(error: object, name: string): unknown {
  try {
    return (error as Record<string, unknown>)[name];
  } catch {
    return undefined; // A getter or a proxy that throws.
  }
}

function cut(text: string): string {
  if (text.length <= MAX_MESSAGE_BYTES / 3) return text.toWellFormed();
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_MESSAGE_BYTES));
  return text.slice(0, read).toWellFormed();
}

/** The error that a replay rejects with. Its stack is that of the replay. */
export function replayedError(recorded: RecordedError): Error {
  const { name, message, code, statusCode } = recorded;
  const error: Error & Partial<RecordedError> & Replayed = new Error(message);
  hide(error, 'name', name);
  hide(error, REPLAYED, true);
  return Object.assign(
    error,
    code === undefined ? {} : { code },
    statusCode === undefined ? {} : { statusCode },
  );
}

/**
 * Whether `error` is a recorded one that a retry got again (`recordErrorIf`), rather than fresh
 * from a run of the method.
 */
export function isReplayedError(error: unknown): boolean {
  return error instanceof Error && (error as Replayed)[REPLAYED] === true;
}
