/** Whether a response, or its body, is a stream: Node's or the web's. */
export function isStreamed(response: unknown): boolean {
  return isStream(response) || isStream((response as { body?: unknown } | null | undefined)?.body);
}

function isStream(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { pipe, pipeTo } = value as { pipe?: unknown; pipeTo?: unknown };
  return typeof pipe === 'function' || typeof pipeTo === 'function';
}

/**
 * What stands for a streamed response in the record: no codec can keep it, so that its record says
 * that the chain has run and that its response was not kept. Predicates still see its members.
 */
export function unrecordable(response: unknown): unknown {
  return Object.create(response as object, { toJSON: { value: refuse, enumerable: true } });
}

function refuse(): never {
  throw new TypeError('A stream cannot be recorded');
}
