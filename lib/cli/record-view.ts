import { RecordStatus, type IdempotencyRecord } from '../store/idempotency-store.js';
import { age, ago } from './ages.js';

/** A record as it came from the table, or why it cannot be read. */
export type Found =
  | { readonly id: string; readonly record: IdempotencyRecord }
  | { readonly id: string; readonly unreadable: string };

export type State = 'in-progress' | 'abandoned' | 'completed' | 'failed' | 'expired' | 'unreadable';

/** What the record means at `nowMs`: by the same comparison that a claim is judged with. */
export function stateOf(found: Found, nowMs: number): State {
  if ('unreadable' in found) return 'unreadable';
  const { status, takeoverAtMs = Infinity } = found.record;
  const over = takeoverAtMs < nowMs;
  if (status === RecordStatus.IN_PROGRESS) return over ? 'abandoned' : 'in-progress';
  if (over) return 'expired';
  return status === RecordStatus.FAILED ? 'failed' : 'completed';
}

/** The state in words with its ages: `completed 2 h ago, expires in 4 h`. */
export function describeState(found: Found, nowMs: number): string {
  if ('unreadable' in found) return `unreadable: ${found.unreadable}`;
  const { status, takeoverAtMs, completedAtMs, expiresAtMs } = found.record;
  if (status === RecordStatus.IN_PROGRESS) {
    if (takeoverAtMs === undefined) return 'in progress, without an end';
    return takeoverAtMs < nowMs
      ? `abandoned ${ago(takeoverAtMs, nowMs)}${expiresAtMs === undefined ? ', and nothing sweeps it' : ''}`
      : `in progress, ${age(takeoverAtMs - nowMs)} left`;
  }
  const word = status === RecordStatus.FAILED ? 'failed' : 'completed';
  const when = completedAtMs === undefined ? word : `${word} ${ago(completedAtMs, nowMs)}`;
  if (takeoverAtMs === undefined) return `${when}, never expires`;
  return takeoverAtMs < nowMs
    ? `${when}, expired ${ago(takeoverAtMs, nowMs)}`
    : `${when}, expires in ${age(takeoverAtMs - nowMs)}`;
}

/** The record as JSON, times as ISO 8601. No claim token, and the outcome only where asked for. */
export function jsonOf(found: Found, nowMs: number, showResult: boolean): Record<string, unknown> {
  const { id } = found;
  const state = stateOf(found, nowMs);
  if ('unreadable' in found) return { id, state, reason: found.unreadable };
  const { record } = found;
  return {
    id,
    state,
    status: record.status,
    inProgressUntil: iso(record.inProgressUntilMs),
    takeoverAt: iso(record.takeoverAtMs),
    completedAt: iso(record.completedAtMs),
    expiresAt: iso(record.expiresAtMs),
    fingerprint: record.fingerprint,
    encoding: record.encoding,
    resultOmitted: record.resultOmitted,
    ...(showResult ? outcomeOf(record) : {}),
  };
}

/** One line for each thing that is known, for people. */
export function linesOf(found: Found, nowMs: number, showResult: boolean): [string, string][] {
  const state: [string, string] = ['state', describeState(found, nowMs)];
  if ('unreadable' in found) return [state];
  const { record } = found;
  const lines: [string, string | undefined][] = [
    state,
    ['in progress until', iso(record.inProgressUntilMs)],
    ['completed at', iso(record.completedAtMs)],
    ['expires at', iso(record.expiresAtMs)],
    ['fingerprint', record.fingerprint],
    ['result', describeResult(record, showResult)],
    ['error', describeError(record, showResult)],
  ];
  return lines.filter((line): line is [string, string] => line[1] !== undefined);
}

function describeResult(record: IdempotencyRecord, showResult: boolean): string | undefined {
  const { status, result, resultOmitted, encoding = 'json' } = record;
  if (status !== RecordStatus.COMPLETED) return undefined;
  if (resultOmitted !== undefined) return `not kept: ${resultOmitted}`;
  if (result === undefined) return 'none (undefined)';
  if (showResult) return textOf(result);
  return `${String(Buffer.byteLength(result))} bytes of ${encoding}; --show-result prints it`;
}

function describeError(record: IdempotencyRecord, showResult: boolean): string | undefined {
  if (record.error === undefined) return undefined;
  const { name, message } = record.error;
  return showResult ? `${name}: ${message}` : `${name}; --show-result prints its message`;
}

function outcomeOf({ result, error }: IdempotencyRecord): Record<string, unknown> {
  return { result: result === undefined ? undefined : textOf(result), error };
}

/** The result as it is kept; bytes as base64. */
function textOf(result: string | Uint8Array): string {
  return typeof result === 'string' ? result : Buffer.from(result).toString('base64');
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
