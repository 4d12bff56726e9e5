import { isIdempotencyStoreError } from '../errors/guards.js';
import { describeFailure } from '../store/dynamodb/store-errors.js';
import { printable } from './terminal.js';

/**
 * One line about whatever a command ran into: what, and what to do about it. The words are those of
 * the store's errors; the advice is that for somebody at a command line.
 */
export function describeThrown(thrown: unknown, actions: readonly string[]): string {
  const store = isIdempotencyStoreError(thrown) ? thrown : undefined;
  const cause: unknown = store === undefined ? thrown : store.cause;
  const failure = describeFailure(cause);
  const ours = store === undefined && isPlain(cause) && failure.reason === 'Error';
  const reason = store?.reason ?? (ours ? firstLine(cause.message) : failure.reason);
  const hint = hintFor(cause, failure.reason, actions) ?? (ours ? undefined : failure.hint);
  return printable(hint === undefined ? reason : `${reason}. ${hint}`);
}

function hintFor(cause: unknown, reason: string, actions: readonly string[]): string | undefined {
  const name = (cause as { readonly name?: unknown } | null | undefined)?.name;
  if (name === 'ResourceNotFoundException') {
    return 'Correct --table, --region or --endpoint, or make it with create-table';
  }
  if (name === 'AccessDeniedException') return `Allow ${actions.join(', ')} on the table`;
  if (reason === 'no AWS Region is set') return 'Set AWS_REGION or give --region';
  if (reason === 'DynamoDB cannot be reached') {
    return 'Check the network, --region and --endpoint (AWS_REGION, AWS_ENDPOINT_URL_DYNAMODB)';
  }
  if (name === 'ValidationException' && reason.includes('key schema')) {
    return 'Say how the table is laid out: --attribute id=NAME, --sort-key';
  }
  return undefined;
}

/** An error with words of this package, and not one of the SDK or the network. */
function isPlain(error: unknown): error is Error {
  return error instanceof Error && error.name === 'Error' && !('$metadata' in error);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
