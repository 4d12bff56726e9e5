import { processState } from '../configuration/process-state.js';
import { isFirst, warnOnce } from '../configuration/warnings.js';
import type { EncodedCompletion } from '../results/encode-result.js';
import { replayDifference } from '../results/replay-difference.js';
import type { ResultCodec } from '../results/result-codec.js';

/**
 * Compares the first recorded result of each method with what its replay will be, once per method
 * and process, and warns where they differ: otherwise that shows only in production, at the first
 * retry, as a string that used to be a Date.
 *
 * @returns A promise that never rejects, where there was something to compare.
 */
export function warnWhereReplayDiffers(
  result: unknown,
  completion: EncodedCompletion,
  codec: ResultCodec,
  method: string,
): Promise<void> | undefined {
  return isFirst(processState.comparedReplays, method)
    ? warnOfDifference(result, completion, codec, method)
    : undefined;
}

async function warnOfDifference(
  result: unknown,
  completion: EncodedCompletion,
  codec: ResultCodec,
  method: string,
): Promise<void> {
  const difference = await replayDifference(result, completion, codec);
  if (difference === undefined) return;
  warnOnce(
    `replay-differs:${method}`,
    'MAYFLY_REPLAY_DIFFERS',
    `A replay of ${method} will differ from its first result: ${difference}. Return plain JSON data, or name a codec that keeps it`,
  );
}
