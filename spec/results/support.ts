import { processState } from '../../lib/configuration/process-state.js';
import type { ResultCodec } from '../../lib/results/result-codec.js';

/** A codec that writes JSON behind a mark, so that its text is not plain JSON. */
export const markedCodec: ResultCodec = {
  name: 'marked',
  encode: (result) => `!${JSON.stringify(result)}`,
  decode: (encoded) => JSON.parse(String(encoded).slice(1)) as unknown,
};

/** The same, with promises and bytes. */
export const slowCodec: ResultCodec = {
  name: 'slow.v1',
  encode: async (result) => Promise.resolve(Buffer.from(`!${JSON.stringify(result)}`)),
  decode: async (encoded) =>
    Promise.resolve(
      JSON.parse(
        Buffer.from(encoded as Uint8Array)
          .toString('utf8')
          .slice(1),
      ),
    ),
};

/** Lets a spec see a warning that is given once per method and process. */
export function forgetComparedReplays(): void {
  processState.comparedReplays.clear();
  for (const key of processState.warnings) {
    if (key.startsWith('replay-differs:')) processState.warnings.delete(key);
  }
}
