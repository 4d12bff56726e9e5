import { RecordStatus, type RecordedError, type ResultOmittedReason } from './idempotency-store.js';

/*
 * What the records that this package writes have in common, wherever they are kept.
 */

/** The values that a record's status may have. */
export const statuses: ReadonlySet<unknown> = new Set(Object.values(RecordStatus));

/** The values that say why a result was omitted. */
export const omissions: ReadonlySet<unknown> = new Set<ResultOmittedReason>([
  'too-large',
  'not-encodable',
]);

/** A recorded error as it is kept: JSON text, which bears every number and character. */
export function errorText({ name, message, code, statusCode }: RecordedError): string {
  return JSON.stringify({ name, message, code, statusCode });
}

/** Reads {@link errorText}; `undefined` where the text is not that of an error. */
export function errorFromText(text: string): RecordedError | undefined {
  const error = parsedObject(text);
  if (typeof error?.['name'] !== 'string' || typeof error['message'] !== 'string') return undefined;
  const { code, statusCode } = error;
  return present<RecordedError>({
    name: error['name'],
    message: error['message'],
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    statusCode: typeof statusCode === 'number' ? statusCode : undefined,
  });
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // Not JSON: the caller says so, without the text.
    return undefined;
  }
}

/** Drops the members that are `undefined`: an optional member of a record is absent, never that. */
export function present<R extends object>(members: { [K in keyof R]: R[K] | undefined }): R {
  for (const name of Object.keys(members) as (keyof R)[]) {
    if (members[name] === undefined) Reflect.deleteProperty(members, name);
  }
  return members as R;
}
