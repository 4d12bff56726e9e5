import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { jsonCodec, type ResultCodec } from '../../lib/index.js';

/** Where keys come from: AWS KMS, Secrets Manager, a file. Keep them in memory: asked at each call. */
export interface KeyRing {
  /** The id of the key that new results are encrypted with. */
  readonly currentId: string;
  /** The 32 bytes of a key; old ones too, for as long as records live that need them. */
  find(id: string): Promise<Uint8Array>;
}

const CIPHER = 'aes-256-gcm';
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts results with AES-256-GCM. Kept are: a version, the key's id, a random IV, the tag, the
 * ciphertext. Authenticated besides: that header and `purpose`, so a result of one method does not
 * pass for another's.
 *
 * @param purpose What the results are, as in `orders.place`: it must stay the same as long as
 * records live.
 * @param inner What makes bytes or text of a result first.
 */
export function encryptingCodec<R>(
  purpose: string,
  keys: KeyRing,
  inner: ResultCodec<R> = jsonCodec,
): ResultCodec<R> {
  return {
    name: `aes-256-gcm.${inner.name}`,

    async encode(result) {
      const encoded = await inner.encode(result);
      if (encoded === undefined) return undefined;
      const header = headerFor(keys.currentId);
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, await keys.find(keys.currentId), iv);
      cipher.setAAD(authenticated(header, purpose));
      const text = Buffer.concat([cipher.update(Buffer.from(encoded)), cipher.final()]);
      return Buffer.concat([header, iv, cipher.getAuthTag(), text]);
    },

    async decode(kept) {
      const bytes = Buffer.from(kept as Uint8Array);
      const header = bytes.subarray(0, 2 + (bytes[1] ?? 0));
      if (header[0] !== VERSION) throw new TypeError('Encrypted in a form that is not known here');
      const iv = bytes.subarray(header.length, header.length + IV_BYTES);
      const tag = bytes.subarray(header.length + IV_BYTES, header.length + IV_BYTES + TAG_BYTES);
      const text = bytes.subarray(header.length + IV_BYTES + TAG_BYTES);
      const key = await keys.find(header.toString('utf8', 2));
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(authenticated(header, purpose));
      decipher.setAuthTag(tag);
      return inner.decode(Buffer.concat([decipher.update(text), decipher.final()]));
    },
  };
}

function headerFor(keyId: string): Buffer {
  const id = Buffer.from(keyId);
  return Buffer.concat([Uint8Array.of(VERSION, id.length), id]);
}

function authenticated(header: Uint8Array, purpose: string): Buffer {
  return Buffer.concat([header, Buffer.from(purpose)]);
}
