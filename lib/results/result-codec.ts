import type { EncodedResult } from '../store/idempotency-store.js';

/**
 * How a method's result is kept. Set it per method with the option `codec`; a replay is decoded with
 * plain JSON (a record that names no encoding) or with this codec, never with one that the record
 * chooses.
 *
 * `undefined` never reaches a codec: it is kept as the absence of a result and replayed as itself.
 *
 * @example
 * ```ts
 * const upperCase: ResultCodec<string> = {
 *   name: 'upper-case',
 *   encode: (text) => text.toUpperCase(),
 *   decode: (encoded) => String(encoded),
 * };
 * ```
 */
export interface ResultCodec<R = unknown> {
  /** Names the encoding in the record: letters, digits, `.`, `_`, `-`; at most 64 characters. */
  readonly name: string;
  /**
   * Called once, after the method succeeded and before anything is written. `undefined` keeps no
   * result: the replay is `undefined`. A throw or rejection never frees the key: the call is
   * recorded as completed without its result, and replays get `IdempotencyResultUnavailableError`.
   */
  encode(result: R): Awaitable<EncodedResult | undefined>;
  /** Called per replay. A throw or rejection becomes an `IdempotencyRecordError`. */
  decode(encoded: EncodedResult): Awaitable<R>;
}

/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;
