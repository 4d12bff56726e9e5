import { v8 } from '../node/builtins.js';
import type { ResultCodec } from './result-codec.js';

/**
 * Keeps results as the structured clone algorithm has them, in V8's own binary form (`node:v8`):
 * Date, Map, Set, bigint, RegExp, Error, Buffer and typed arrays, `undefined`, NaN, sparse arrays and
 * cycles replay deep-equal. Objects of other classes come back as plain objects of their own
 * members, a URL among them; functions, symbols and promises cannot be kept, and such a result is
 * recorded as completed without it.
 *
 * The price against `jsonCodec`: the record cannot be read in the console nor by other languages,
 * and bytes that do not fit into an item are not compressed but omitted. A newer Node.js reads what
 * an older one wrote; the other way round is not promised, and what cannot be read is an
 * `IdempotencyRecordError`. Name it per method: a record never chooses its decoder, and V8's is not
 * made for tables that strangers write to.
 *
 * @see https://nodejs.org/api/v8.html#serialization-api
 * @example
 * ```ts
 * class Calendar {
 *   @Idempotent({ key: (name) => name, codec: structuredCodec })
 *   async book(name: string): Promise<{ at: Date; seats: Set<number> }> {
 *     return { at: await this.nextFreeDay(), seats: new Set([1, 2]) };
 *   }
 * }
 * ```
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- fits every method
export const structuredCodec: ResultCodec<any> = {
  name: 'structured',
  encode: (result) => v8().serialize(result),
  decode(encoded) {
    if (typeof encoded === 'string') throw new TypeError('Expected bytes, got text');
    // Buffers in the result are views of the bytes they are read from, which are the store's.
    return v8().deserialize(new Uint8Array(encoded)) as unknown;
  },
};
