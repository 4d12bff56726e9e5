import { IdempotencyKeyError } from '../errors/index.js';
import type { EventOf } from './event-shapes.js';

/**
 * A name that others chose, as part of a key. Written out, a bucket's or an object's name may hold a
 * word that keys refuse as the trace of a missing part (`country=null/part-0.parquet`); its bytes in
 * hexadecimal do not.
 */
export function opaque(name: string | undefined): string | undefined {
  return name === undefined ? undefined : Buffer.from(name).toString('hex');
}

/** Where an event has one record, that record. */
export function onlyRecord<R extends object>(event: R | EventOf<R>): R {
  if (!('Records' in event)) return event;
  const [record] = event.Records;
  if (record === undefined || event.Records.length > 1) {
    throw new IdempotencyKeyError(
      `The event holds ${String(event.Records.length)} records: protect the method that handles one`,
    );
  }
  return record;
}

/**
 * Parses a body. The error has no cause: what `JSON.parse` throws quotes the text, and Lambda logs it.
 *
 * @throws IdempotencyKeyError for anything but JSON.
 */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new IdempotencyKeyError('The body is not JSON');
  }
}
