import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { IdempotencyRecordError } from '../../errors/record-error.js';
import {
  RecordStatus,
  type EncodedResult,
  type IdempotencyRecord,
  type RecordedError,
  type ResultOmittedReason,
} from '../idempotency-store.js';
import { errorFromText, omissions, present, statuses } from '../record-form.js';
import { later, msFromEpochSecondsText } from './epoch-seconds.js';
import type { TableLayout } from './table-layout.js';

/** The version of the record's form that this package writes; a record without one counts as it. */
export const RECORD_VERSION = 1;

type NativeItem = Readonly<Record<string, unknown>>;

/**
 * The record that an item holds. Items come as attribute values or as plain values (a document
 * client translates what it reads, but not the item inside a refused write's error).
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
  const read = new ItemReader(nativeItem(item, id), id);
  const { names } = layout;
  const version = read.number(names.version) ?? RECORD_VERSION;
  if (version !== RECORD_VERSION) {
    throw read.unusable(`it has version ${String(version)}, and this package knows version 1`);
  }
  const status = read.status(names.status);
  const inProgressUntilMs =
    status === RecordStatus.IN_PROGRESS ? read.time(names.inProgressUntil) : undefined;
  const expiresAtMs = read.time(names.expiresAt);
  const endMs = Math.min(inProgressUntilMs ?? Infinity, expiresAtMs ?? Infinity);
  return present<IdempotencyRecord>({
    id,
    status,
    inProgressUntilMs,
    takeoverAtMs: endMs === Infinity ? undefined : later(endMs, clockSkewMs),
    expiresAtMs,
    result: read.result(names.result),
    encoding: read.text(names.encoding),
    resultOmitted: read.omission(names.resultOmitted),
    claimToken: read.text(names.claimToken),
    fingerprint: read.text(names.fingerprint),
    completedAtMs: read.time(names.completedAt),
    error: read.error(names.error),
  });
}

/** Whose claim an item is, whatever else is in it. */
export function claimTokenOf(item: unknown, { names }: TableLayout): string | undefined {
  return stringAttribute(item, names.claimToken);
}

/** Whether an item that a claim replaced may belong to an owner that died: anything not finished. */
export function isUnfinished(item: unknown, { names }: TableLayout): boolean {
  const status = stringAttribute(item, names.status);
  return status !== RecordStatus.COMPLETED && status !== RecordStatus.FAILED;
}

function stringAttribute(item: unknown, name: string): string | undefined {
  const value = (item as NativeItem)[name];
  const text = typeof value === 'object' ? (value as AttributeValue | null)?.S : value;
  return typeof text === 'string' ? text : undefined;
}

function nativeItem(item: unknown, id: string): NativeItem {
  if (typeof item !== 'object' || item === null) {
    throw new IdempotencyRecordError('the client returned no item', { id });
  }
  if (!Object.values(item).every(isAttributeValue)) return item as NativeItem;
  try {
    return unmarshall(item as Record<string, AttributeValue>, { wrapNumbers: true });
  } catch (cause) {
    throw new IdempotencyRecordError('it holds an attribute of an unknown type', { id, cause });
  }
}

/** Attribute values are `{ S: … }`, `{ N: … }`, …; no plain value of a record looks like one. */
function isAttributeValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const types = Object.keys(value);
  return types.length === 1 && /^(S|N|B|SS|NS|BS|M|L|NULL|BOOL|\$unknown)$/.test(types[0] ?? '');
}

/** Reads the attributes of one item; complaints name the attribute, never its content. */
class ItemReader {
  readonly #item: NativeItem;
  readonly #id: string;

  constructor(item: NativeItem, id: string) {
    this.#item = item;
    this.#id = id;
  }

  text(name: string): string | undefined {
    const value = this.#item[name];
    if (value === undefined || typeof value === 'string') return value;
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
    const value = this.#item[name];
    if (statuses.has(value)) return value as RecordStatus;
    throw this.unusable(`\`${name}\` is none of ${[...statuses].join(', ')}`);
  }

  result(name: string): EncodedResult | undefined {
    const value = this.#item[name];
    if (value === undefined || typeof value === 'string' || value instanceof Uint8Array) {
      return value;
    }
    throw this.unusable(`\`${name}\` is neither a string nor binary`);
  }

  omission(name: string): ResultOmittedReason | undefined {
    const value = this.#item[name];
    if (value === undefined || omissions.has(value))
      return value as ResultOmittedReason | undefined;
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

  /** A number as the engine wrote it: wrapped by `unmarshall` or a document client, or native. */
  #numberText(name: string): string | undefined {
    const value = this.#item[name];
    if (value === undefined) return undefined;
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    if (typeof value === 'object' && value !== null && 'value' in value) {
      if (typeof value.value === 'string') return value.value;
    }
    throw this.unusable(`\`${name}\` is not a number`);
  }
}
