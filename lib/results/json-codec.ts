import type { ResultCodec } from './result-codec.js';

/** The `encoding` of plain JSON is absent in records; this name stands for it elsewhere. */
export const JSON_CODEC_NAME = 'json';

/** Tells {@link jsonCodec} from a codec that only bears its name, across copies of this package. */
const MARK = Symbol.for('mayfly-idempotency.json-codec');

/**
 * Keeps results as JSON text. The default codec: readable in the table, and shared with the Elixir
 * package `mayfly_aws`. What JSON cannot carry (a Date, a Map, a class) comes back as plain data.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- fits every method
export const jsonCodec: ResultCodec<any> = {
  name: JSON_CODEC_NAME,
  encode(result) {
    // Typed as a string by TypeScript, yet `undefined` for functions and symbols.
    const text = JSON.stringify(result) as string | undefined;
    if (text === undefined) throw new TypeError(`JSON has no form for a ${typeof result}`);
    return text;
  },
  decode(encoded) {
    const text = typeof encoded === 'string' ? encoded : Buffer.from(encoded).toString('utf8');
    return JSON.parse(text) as unknown;
  },
};

Object.defineProperty(jsonCodec, MARK, { value: true });

/** Whether `codec` is {@link jsonCodec}, of this or another copy of this package. */
export function isJsonCodec(codec: object): boolean {
  return Object.hasOwn(codec, MARK);
}
