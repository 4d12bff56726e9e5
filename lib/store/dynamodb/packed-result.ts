import { IdempotencyRecordError } from '../../errors/record-error.js';
import {
  compress,
  decompress,
  GZIP_SUFFIX,
  MAX_UNCOMPRESSED_BYTES,
} from '../../results/compression.js';
import { JSON_CODEC_NAME } from '../../results/json-codec.js';
import type { Completion, IdempotencyRecord } from '../idempotency-store.js';

/*
 * Text that does not fit into an item is kept gzipped, and comes back as the text it was: nobody
 * outside this store sees the packed form.
 */

/**
 * The completion with its result gzipped and `+gzip` behind the encoding's name, or `undefined`
 * where that cannot be: no text, or one that would not be unpacked again.
 */
export async function packedCompletion(completion: Completion): Promise<Completion | undefined> {
  const { result, encoding = JSON_CODEC_NAME } = completion;
  if (typeof result !== 'string') return undefined;
  if (Buffer.byteLength(result) > MAX_UNCOMPRESSED_BYTES) return undefined;
  return { ...completion, result: await compress(result), encoding: encoding + GZIP_SUFFIX };
}

/** @throws IdempotencyRecordError when a result that is marked as gzipped cannot be unpacked. */
export function unpackedRecord(
  record: IdempotencyRecord,
): IdempotencyRecord | Promise<IdempotencyRecord> {
  return record.encoding?.endsWith(GZIP_SUFFIX) === true ? unpacked(record) : record;
}

async function unpacked(record: IdempotencyRecord): Promise<IdempotencyRecord> {
  const { result, encoding = '', ...rest } = record;
  if (!(result instanceof Uint8Array)) {
    throw new IdempotencyRecordError('its result is marked as gzipped and is no binary', {
      id: record.id,
    });
  }
  const name = encoding.slice(0, -GZIP_SUFFIX.length);
  return {
    ...rest,
    result: await text(result, record.id),
    ...(name === JSON_CODEC_NAME ? {} : { encoding: name }),
  };
}

async function text(result: Uint8Array, id: string): Promise<string> {
  try {
    return await decompress(result);
  } catch (cause) {
    const reason = cause instanceof RangeError ? cause.message : 'its result cannot be unpacked';
    throw new IdempotencyRecordError(reason, { id, cause });
  }
}
