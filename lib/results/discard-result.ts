import type { ResultCodec } from './result-codec.js';

/**
 * Keeps no result: the call is recorded as completed, and repeats resolve to `undefined`. For methods
 * that must run once and whose result nobody needs again, or nobody may find in the table.
 *
 * The first caller gets what the method returned, so its type must admit `undefined` or `void`: for
 * any other one it is a compile error.
 *
 * @example
 * ```ts
 * class Mailer {
 *   @Idempotent({ key: (mail) => mail.id, codec: discardResult })
 *   async send(mail: Mail): Promise<string | undefined> {
 *     return this.smtp.send(mail); // repeats get undefined
 *   }
 * }
 * ```
 */
export const discardResult: ResultCodec<undefined> = {
  name: 'discard',
  encode: () => undefined,
  // Asked only where somebody wrote a result into the record.
  decode: () => undefined,
};
