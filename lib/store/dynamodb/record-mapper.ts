import { IdempotencyRecordError } from '../../errors/record-error.js';
import {
  RecordStatus,
  type EncodedResult,
  type IdempotencyRecord,
  type RecordedError,
  type ResultOmittedReason,
} from '../idempotency-store.js';
import { errorFromText, omissions, statuses } from '../record-form.js';
import { later, msFromEpochSecondsText } from './epoch-seconds.js';
import type { TableLayout } from './table-layout.js';

/** The version of the record's form that this package writes; a record without one counts as it. */
export const RECORD_VERSION = 1;

/** The attributes of an item, whichever way they are written. */
type Item = Readonly<Record<string, unknown>>;

/** A record that is being read. */
type Unfinished<R> = { -readonly [K in keyof R]: R[K] };

/**
 * The record that an item holds. Items come as attribute values or as plain values (a document
 * client translates what it reads, but not the item inside a refused write's error); only the
 * record's own attributes are looked at.
 *
 * Whatever decides about running again is read strictly; times of a record in seconds that were
 * meant as milliseconds are what they say, a far future, since DynamoDB's conditions read them so.
 *
 * @throws IdempotencyRecordError when the item is no record of a version that this package knows.
 */
export function recordFromItem(
  item: unknown,
  id: string,
  layout: TableLayout,
  clockSkewMs: number,
): IdempotencyRecord {
  const read = new ItemReader(item, id);
  const { names } = layout;
  const version = read.number(names.version) ?? RECORD_VERSION;
  if (version !== RECORD_VERSION) {
    throw read.unusable(`it has version ${String(version)}, and this package knows version 1`);
  }
  const status = read.status(names.status);
  const record: Unfinished<IdempotencyRecord> = { id, status };
  const inProgressUntilMs =
    status === RecordStatus.IN_PROGRESS ? read.time(names.inProgressUntil) : undefined;
  const expiresAtMs = read.time(names.expiresAt);
  const endMs = Math.min(inProgressUntilMs ?? Infinity, expiresAtMs ?? Infinity);
  const result = read.result(names.result);
  const encoding = read.text(names.encoding);
  const resultOmitted = read.omission(names.resultOmitted);
  const claimToken = read.text(names.claimToken);
  const fingerprint = read.text(names.fingerprint);
  const completedAtMs = read.time(names.completedAt);
  const error = read.error(names.error);
  if (inProgressUntilMs !== undefined) record.inProgressUntilMs = inProgressUntilMs;
  if (endMs !== Infinity) record.takeoverAtMs = later(endMs, clockSkewMs);
  if (expiresAtMs !== undefined) record.expiresAtMs = expiresAtMs;
  if (result !== undefined) record.result = result;
  if (encoding !== undefined) record.encoding = encoding;
  if (resultOmitted !== undefined) record.resultOmitted = resultOmitted;
  if (claimToken !== undefined) record.claimToken = claimToken;
  if (fingerprint !== undefined) record.fingerprint = fingerprint;
  if (completedAtMs !== undefined) record.completedAtMs = completedAtMs;
  if (error !== undefined) record.error = error;
  return record;
}

/** Whose claim an item is, whatever else is in it. */
export function claimTokenOf(item: unknown, { names }: TableLayout): string | undefined {
  const token = stringIn(item as Item, names.claimToken);
  return typeof token === 'string' ? token : undefined;
}

/** Whether an item that a claim replaced may belong to an owner that died: anything not finished. */
export function isUnfinished(item: unknown, { names }: TableLayout): boolean {
  const status = stringIn(item as Item, names.status);
  return status !== RecordStatus.COMPLETED && status !== RecordStatus.FAILED;
}

/** What stands where a string is expected. */
function stringIn(item: Item, name: string): unknown {
  const value = item[name];
  return member(value, 'S') ?? value;
}

/** What an attribute value (`{ S: … }`, `{ N: … }`) or a wrapped number (`{ value: … }`) holds. */
function member(value: unknown, type: 'S' | 'N' | 'B' | 'value'): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[type]
    : undefined;
}

/** Reads the attributes of one item; complaints name the attribute, never its content. */
class ItemReader {
  readonly #item: Item;
  readonly #id: string;

  constructor(item: unknown, id: string) {
    this.#id = id;
    if (typeof item !== 'object' || item === null) {
      throw this.unusable('the client returned no item');
    }
    this.#item = item as Item;
  }

  text(name: string): string | undefined {
    const text = stringIn(this.#item, name);
    if (text === undefined || typeof text === 'string') return text;
    throw this.unusable(`\`${name}\` is not a string`);
  }

  number(name: string): number | undefined {
    const text = this.#numberText(name);
    return text === undefined ? undefined : Number(text);
  }

  time(name: string): number | undefined {
    const text = this.#numberText(name);
    if (text === undefined) return undefined;
    const ms = msFromEpochSecondsText(text);
    if (ms === undefined) throw this.unusable(`\`${name}\` is not a time in epoch seconds`);
    return ms;
  }

  status(name: string): RecordStatus {
    const status = stringIn(this.#item, name);
    if (statuses.has(status)) return status as RecordStatus;
    throw this.unusable(`\`${name}\` is none of ${[...statuses].join(', ')}`);
  }

  result(name: string): EncodedResult | undefined {
    const result = member(this.#item[name], 'B') ?? stringIn(this.#item, name);
    if (result === undefined || typeof result === 'string' || result instanceof Uint8Array) {
      return result;
    }
    throw this.unusable(`\`${name}\` is neither a string nor binary`);
  }

  omission(name: string): ResultOmittedReason | undefined {
    const reason = stringIn(this.#item, name);
    if (reason === undefined || omissions.has(reason)) return reason as ResultOmittedReason;
    throw this.unusable(`\`${name}\` is none of ${[...omissions].join(', ')}`);
  }

  error(name: string): RecordedError | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const error = errorFromText(text);
    if (error === undefined) throw this.unusable(`\`${name}\` is not the JSON of an error`);
    return error;
  }

  unusable(reason: string): IdempotencyRecordError {
    return new IdempotencyRecordError(reason, { id: this.#id });
  }

  /** A number as the engine wrote it: an attribute value, wrapped by a document client, or native. */
  #numberText(name: string): string | undefined {
    const value = this.#item[name];
    if (value === undefined) return undefined;
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    const text = member(value, 'N') ?? member(value, 'value');
    if (typeof text === 'string') return text;
    throw this.unusable(`\`${name}\` is not a number`);
  }
}
