import { IdempotencyRecordError, IdempotencyResultUnavailableError } from '../errors/index.js';
import {
  RecordStatus,
  type EncodedResult,
  type IdempotencyRecord,
  type RecordedError,
} from '../store/idempotency-store.js';
import { decompress, GZIP_SUFFIX } from './compression.js';
import { JSON_CODEC_NAME, jsonCodec } from './json-codec.js';
import { replayedError } from './recorded-error.js';
import type { ResultCodec } from './result-codec.js';

/** What a finished record replays: a result, or a recorded error to throw. */
export type Decoded = { readonly result: unknown } | { readonly error: Error };

/** What an error tells of the call. */
interface CallDetails {
  readonly method: string;
  readonly id: string;
}

/**
 * Decodes a finished record, with plain JSON or with the codec that the method names. The record
 * never chooses the codec: whoever can write to the table must not pick the decoder.
 *
 * @throws IdempotencyResultUnavailableError when the result was not kept.
 * @throws IdempotencyRecordError when it does not decode.
 */
export function decodeRecord(
  record: IdempotencyRecord,
  codec: ResultCodec,
  details: CallDetails,
): Decoded | Promise<Decoded> {
  if (record.status === RecordStatus.FAILED) {
    const error = record.error as Partial<RecordedError> | undefined;
    if (typeof error?.name !== 'string' || typeof error.message !== 'string') {
      throw new IdempotencyRecordError('it is a recorded error without an error', details);
    }
    return { error: replayedError(error as RecordedError) };
  }
  if (record.resultOmitted !== undefined) {
    throw new IdempotencyResultUnavailableError(
      record.resultOmitted,
      record.completedAtMs,
      details,
    );
  }
  if (record.result === undefined) return { result: undefined };
  // Whoever wrote the store: what is no text must not be taken for one.
  if (typeof (record.encoding ?? '') !== 'string') {
    throw new IdempotencyRecordError('its encoding is no text', details);
  }
  const decoder = decoderFor(record.encoding, codec);
  if (decoder === undefined) {
    throw new IdempotencyRecordError(
      'its result is encoded with another codec than the method names',
      details,
    );
  }
  // Plain JSON, which most results are, is there at once.
  const compressed = isCompressed(record.encoding);
  if (compressed || decoder !== jsonCodec) {
    return decodedLater(record.result, compressed, decoder, details);
  }
  try {
    return { result: jsonCodec.decode(record.result) };
  } catch (error) {
    throw undecodable(error, details);
  }
}

async function decodedLater(
  result: EncodedResult,
  compressed: boolean,
  decoder: ResultCodec,
  details: CallDetails,
): Promise<Decoded> {
  try {
    const encoded = compressed ? await uncompressed(result) : result;
    return { result: await decoder.decode(encoded) };
  } catch (error) {
    throw undecodable(error, details);
  }
}

function undecodable(error: unknown, { method, id }: CallDetails): IdempotencyRecordError {
  // JSON's own error quotes the text, which is somebody's data; a codec's may come from JSON too.
  const cause = error instanceof SyntaxError ? undefined : error;
  return new IdempotencyRecordError('its result does not decode', { method, id, cause });
}

function decoderFor(encoding: string | undefined, codec: ResultCodec): ResultCodec | undefined {
  const name = isCompressed(encoding) ? encoding.slice(0, -GZIP_SUFFIX.length) : encoding;
  if (name === undefined || name === JSON_CODEC_NAME) return jsonCodec;
  return name === codec.name ? codec : undefined;
}

function isCompressed(encoding: string | undefined): encoding is string {
  return encoding?.endsWith(GZIP_SUFFIX) === true;
}

async function uncompressed(result: EncodedResult): Promise<EncodedResult> {
  if (typeof result === 'string') throw new TypeError('Compressed, yet text');
  return decompress(result);
}
