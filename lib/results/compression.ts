import { promisify } from 'node:util';
import { zlib } from '../node/builtins.js';

/** What is appended to the name of the encoding where a result was compressed. */
export const GZIP_SUFFIX = '+gzip';

/**
 * The most that a compressed result may have when it is unpacked: 16 MB. A record is data that
 * somebody may have tampered with; a few kilobytes of it must not fill the memory.
 */
export const MAX_UNCOMPRESSED_BYTES = 16 * 1024 * 1024;

/** Text as gzipped UTF-8 (RFC 1952). */
export function compress(text: string): Promise<Uint8Array> {
  return promisify(zlib().gzip)(text);
}

/**
 * The text that {@link compress} was given.
 *
 * @throws RangeError when it has more than {@link MAX_UNCOMPRESSED_BYTES}, and whatever zlib says
 * when the bytes are not gzipped.
 */
export async function decompress(bytes: Uint8Array): Promise<string> {
  try {
    const text = await promisify(zlib().gunzip)(bytes, { maxOutputLength: MAX_UNCOMPRESSED_BYTES });
    return text.toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new RangeError('The compressed result is larger than 16 MB when unpacked', {
        cause: error,
      });
    }
    throw error;
  }
}
