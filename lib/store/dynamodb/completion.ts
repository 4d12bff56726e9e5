import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { msToEpochSecondsRoundedUp } from '../../time/duration.js';
import type { Claim, Completion, RecordedError } from '../idempotency-store.js';
import { errorText } from '../record-form.js';
import { epochSecondsText } from './epoch-seconds.js';
import type { CompletionParts } from './expressions.js';
import { itemBytes, MAX_ITEM_BYTES } from './item-size.js';
import { packedCompletion } from './packed-result.js';
import { RECORD_VERSION } from './record-mapper.js';
import type { TableLayout } from './table-layout.js';

/** What a completion writes. */
export interface CompletionForm {
  readonly parts: CompletionParts;
  readonly values: Record<string, AttributeValue>;
  /** Makes the next smaller form; absent in the smallest. */
  readonly smaller: (() => CompletionForm | Promise<CompletionForm>) | undefined;
}

/** Text of this many UTF-16 units fits in any case: three bytes each, and 16 KB for the rest. */
const SURELY_FITS = (MAX_ITEM_BYTES - 16 * 1024) / 3;

/** The claim's fingerprint is unknown here; room for one is always kept (SHA-256 as hex). */
const ANY_FINGERPRINT = '0'.repeat(64);

/** What is kept of a text in an error that is too large as a whole. */
const SHORT_TEXT = 1000;

/**
 * The largest form of a completion that fits into an item: as it is, gzipped, or without its result,
 * which always fits. The method has succeeded by now, so its size must not be a reason to fail: an
 * unrecorded success is a second run.
 */
export function completionForm(
  claim: Claim,
  completion: Completion,
  layout: TableLayout,
): CompletionForm | Promise<CompletionForm> {
  const { result, error } = completion;
  if (result === undefined && error === undefined) return form(claim, completion);
  const smaller = (): Promise<CompletionForm> => packedForm(claim, completion, layout);
  return fits(claim, completion, layout) ? form(claim, completion, smaller) : smaller();
}

async function packedForm(
  claim: Claim,
  completion: Completion,
  layout: TableLayout,
): Promise<CompletionForm> {
  const packed = await packedCompletion(completion);
  const smallestForm = (): CompletionForm => form(claim, smallest(completion));
  return packed !== undefined && fits(claim, packed, layout)
    ? form(claim, packed, smallestForm)
    : smallestForm();
}

function form(
  { token }: Claim,
  completion: Completion,
  smaller?: CompletionForm['smaller'],
): CompletionForm {
  const { result, encoding, error, resultOmitted } = completion;
  const values: Record<string, AttributeValue> = {
    ':status': { S: completion.status },
    ':expires': { N: String(msToEpochSecondsRoundedUp(completion.nowMs + completion.ttlMs)) },
    ':completed': { N: epochSecondsText(completion.nowMs) },
    ':token': { S: token },
  };
  if (result !== undefined) {
    values[':result'] = typeof result === 'string' ? { S: result } : { B: result };
  }
  if (encoding !== undefined) values[':encoding'] = { S: encoding };
  if (error !== undefined) values[':error'] = { S: errorText(error) };
  if (resultOmitted !== undefined) values[':omitted'] = { S: resultOmitted };
  return {
    parts: {
      result: result !== undefined,
      encoding: encoding !== undefined,
      error: error !== undefined,
      resultOmitted: resultOmitted !== undefined,
    },
    values,
    smaller,
  };
}

/** Without its result, and with the texts of its error cut. */
function smallest({ result, encoding, error, ...rest }: Completion): Completion {
  return {
    ...rest,
    ...(result === undefined ? {} : { resultOmitted: 'too-large' }),
    ...(result === undefined && encoding !== undefined ? { encoding } : {}),
    ...(error === undefined ? {} : { error: shortened(error) }),
  };
}

function shortened({ name, message, code, statusCode }: RecordedError): RecordedError {
  return {
    name: short(name),
    message: short(message),
    ...(code === undefined ? {} : { code: typeof code === 'string' ? short(code) : code }),
    ...(statusCode === undefined ? {} : { statusCode }),
  };
}

function short(text: string): string {
  return text.length > SHORT_TEXT ? `${text.slice(0, SHORT_TEXT)}…` : text;
}

function fits(claim: Claim, completion: Completion, layout: TableLayout): boolean {
  const { result, error } = completion;
  const length = (result?.length ?? 0) + (error === undefined ? 0 : errorText(error).length);
  return length <= SURELY_FITS || completedItemBytes(claim, completion, layout) <= MAX_ITEM_BYTES;
}

/** The size that the item has once it is completed. */
function completedItemBytes(claim: Claim, completion: Completion, layout: TableLayout): number {
  const { names } = layout;
  const { values } = form(claim, completion);
  const item: Record<string, AttributeValue | undefined> = {
    ...layout.key(claim.id),
    [names.claimToken]: { S: claim.token },
    [names.version]: { N: String(RECORD_VERSION) },
    [names.fingerprint]: { S: ANY_FINGERPRINT },
    [names.status]: values[':status'],
    [names.expiresAt]: values[':expires'],
    [names.completedAt]: values[':completed'],
    [names.result]: values[':result'],
    [names.encoding]: values[':encoding'],
    [names.error]: values[':error'],
    [names.resultOmitted]: values[':omitted'],
  };
  return itemBytes(item);
}
