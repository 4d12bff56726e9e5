import { IdempotencyRecordError } from '../../errors/record-error.js';
import {
  RecordStatus,
  type ClaimRequest,
  type Completion,
  type EncodedResult,
  type IdempotencyRecord,
  type RecordedError,
  type ResultOmittedReason,
} from '../idempotency-store.js';
import { errorFromText, errorText, omissions, present, statuses } from '../record-form.js';

/** The version of the record's form that this package writes; a record without one counts as it. */
const RECORD_VERSION = '1';

/** Fields and values in turn, as HSET takes them and HGETALL returns them. */
export type Fields = readonly string[];

/** The last moment that a JavaScript `Date` knows, and far behind any time that is meant. */
const MAX_TIME_MS = 8.64e15;

/**
 * A time as the record keeps it: epoch milliseconds, decimal.
 *
 * @throws RangeError for what is no time: it would never compare as earlier or later.
 */
export function timeText(ms: number): string {
  if (!(Math.abs(ms) <= MAX_TIME_MS)) {
    throw new RangeError(`Expected a time in epoch milliseconds, got ${String(ms)}`);
  }
  return String(ms);
}

export function claimFields(request: ClaimRequest, expiresAtMs: number | undefined): Fields {
  const { token, inProgressUntilMs, fingerprint } = request;
  return [
    ...['v', RECORD_VERSION, 'status', RecordStatus.IN_PROGRESS, 'claim_token', token],
    ...['in_progress_until_ms', timeText(inProgressUntilMs)],
    ...(expiresAtMs === undefined ? [] : ['expires_at_ms', timeText(expiresAtMs)]),
    ...(fingerprint === undefined ? [] : ['fingerprint', fingerprint]),
  ];
}

export function completionFields(completion: Completion): Fields {
  const { status, nowMs, ttlMs, result, encoding, resultOmitted, error } = completion;
  return [
    ...['status', status, 'completed_at_ms', timeText(nowMs)],
    ...['expires_at_ms', timeText(nowMs + ttlMs)],
    ...resultFields(result),
    ...(encoding === undefined ? [] : ['encoding', encoding]),
    ...(resultOmitted === undefined ? [] : ['result_omitted', resultOmitted]),
    ...(error === undefined ? [] : ['error', errorText(error)]),
  ];
}

/** What a result takes in the record. */
export function resultBytes(result: EncodedResult | undefined): number {
  return typeof result === 'string'
    ? Buffer.byteLength(result)
    : 4 * Math.ceil((result?.length ?? 0) / 3);
}

/** Bytes as base64: clients return values as text unless they are told otherwise. */
function resultFields(result: EncodedResult | undefined): Fields {
  if (result === undefined) return [];
  if (typeof result === 'string') return ['result', result];
  const { buffer, byteOffset, byteLength } = result;
  return ['result_base64', Buffer.from(buffer, byteOffset, byteLength).toString('base64')];
}

/**
 * The record that a hash holds, or `undefined` where there are no fields, and so no hash. Fields
 * that this version does not know are left out.
 *
 * @throws IdempotencyRecordError when the hash is no record of a version that this package knows.
 */
export function recordFromFields(
  fields: Fields,
  id: string,
  clockSkewMs: number,
): IdempotencyRecord | undefined {
  if (fields.length === 0) return undefined;
  const read = new FieldReader(fields, id);
  const version = read.text('v') ?? RECORD_VERSION;
  if (version !== RECORD_VERSION) {
    throw read.unusable('it has another version than 1, the one that this package knows');
  }
  const status = read.oneOf<RecordStatus>('status', statuses);
  if (status === undefined) throw read.unusable('it has no `status`');
  const inProgressUntilMs =
    status === RecordStatus.IN_PROGRESS ? read.time('in_progress_until_ms') : undefined;
  const expiresAtMs = read.time('expires_at_ms');
  const endMs = Math.min(inProgressUntilMs ?? Infinity, expiresAtMs ?? Infinity);
  return present<IdempotencyRecord>({
    id,
    status,
    inProgressUntilMs,
    takeoverAtMs: endMs === Infinity ? undefined : endMs + clockSkewMs,
    expiresAtMs,
    result: read.result(),
    encoding: read.text('encoding'),
    resultOmitted: read.oneOf<ResultOmittedReason>('result_omitted', omissions),
    claimToken: read.text('claim_token'),
    fingerprint: read.text('fingerprint'),
    completedAtMs: read.time('completed_at_ms'),
    error: read.error(),
  });
}

/** Reads the fields of one hash; complaints name the field, never its content. */
class FieldReader {
  readonly #values = new Map<string, string>();
  readonly #id: string;

  constructor(fields: Fields, id: string) {
    for (let index = 0; index + 1 < fields.length; index += 2) {
      this.#values.set(fields[index] ?? '', fields[index + 1] ?? '');
    }
    this.#id = id;
  }

  text(name: string): string | undefined {
    return this.#values.get(name);
  }

  time(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    // The scripts' own pattern: what they cannot compare must not be readable here.
    if (!/^-?\d+\.?\d*$/.test(text)) {
      throw this.unusable(`\`${name}\` is not a time in epoch milliseconds`);
    }
    return Number(text);
  }

  oneOf<T extends string>(name: string, known: ReadonlySet<unknown>): T | undefined {
    const text = this.text(name);
    if (text === undefined || known.has(text)) return text as T | undefined;
    throw this.unusable(`\`${name}\` is none of ${[...known].join(', ')}`);
  }

  result(): EncodedResult | undefined {
    const base64 = this.text('result_base64');
    if (base64 === undefined) return this.text('result');
    const bytes = Buffer.from(base64, 'base64');
    // Node decodes what it can and drops the rest in silence.
    if (this.text('result') !== undefined || bytes.toString('base64') !== base64) {
      throw this.unusable('`result_base64` is not base64, or stands beside a `result`');
    }
    return new Uint8Array(bytes);
  }

  error(): RecordedError | undefined {
    const text = this.text('error');
    if (text === undefined) return undefined;
    const error = errorFromText(text);
    if (error === undefined) throw this.unusable('`error` is not the JSON of an error');
    return error;
  }

  unusable(reason: string): IdempotencyRecordError {
    return new IdempotencyRecordError(reason, { id: this.#id });
  }
}
