import type { Completion } from '../store/idempotency-store.js';
import { JSON_CODEC_NAME } from './json-codec.js';
import type { ResultCodec } from './result-codec.js';

/** The part of a completion that keeps the result. */
export type EncodedCompletion = Pick<Completion, 'result' | 'encoding' | 'resultOmitted'>;

const NO_RESULT: EncodedCompletion = {};
const NOT_ENCODABLE: EncodedCompletion = { resultOmitted: 'not-encodable' };

/**
 * Encodes what a method returned. Never rejects: the method has succeeded, so a result that cannot
 * be kept is recorded as omitted rather than lead to a second run.
 */
export async function encodeResult(
  result: unknown,
  codec: ResultCodec,
): Promise<EncodedCompletion> {
  if (result === undefined) return NO_RESULT;
  let encoded: unknown;
  try {
    encoded = await codec.encode(result);
  } catch {
    return NOT_ENCODABLE;
  }
  if (encoded === undefined) return NO_RESULT;
  if (typeof encoded !== 'string' && !(encoded instanceof Uint8Array)) return NOT_ENCODABLE;
  return codec.name === JSON_CODEC_NAME
    ? { result: encoded }
    : { result: encoded, encoding: codec.name };
}
