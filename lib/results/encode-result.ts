import type { Completion, EncodedResult } from '../store/idempotency-store.js';
import { JSON_CODEC_NAME } from './json-codec.js';
import type { ResultCodec } from './result-codec.js';

/** The part of a completion that keeps the result. */
export type EncodedCompletion = Pick<Completion, 'result' | 'encoding' | 'resultOmitted'>;

const NO_RESULT: EncodedCompletion = {};
const NOT_ENCODABLE: EncodedCompletion = { resultOmitted: 'not-encodable' };

/**
 * Encodes what a method returned. Never throws or rejects: the method has succeeded, so a result that cannot
 * be kept is recorded as omitted rather than lead to a second run.
 */
export function encodeResult(
  result: unknown,
  codec: ResultCodec,
): EncodedCompletion | Promise<EncodedCompletion> {
  if (result === undefined) return NO_RESULT;
  let encoded: unknown;
  try {
    encoded = codec.encode(result);
  } catch {
    return NOT_ENCODABLE;
  }
  // Text is what most codecs give, and at once.
  return typeof encoded === 'string' ? kept(encoded, codec) : encodedLater(encoded, codec);
}

async function encodedLater(encoding: unknown, codec: ResultCodec): Promise<EncodedCompletion> {
  let encoded: unknown;
  try {
    encoded = await encoding;
  } catch {
    return NOT_ENCODABLE;
  }
  if (encoded === undefined) return NO_RESULT;
  return typeof encoded === 'string' || encoded instanceof Uint8Array
    ? kept(encoded, codec)
    : NOT_ENCODABLE;
}

function kept(result: EncodedResult, { name }: ResultCodec): EncodedCompletion {
  return name === JSON_CODEC_NAME ? { result } : { result, encoding: name };
}
