/**
 * The name of whatever somebody else's code threw, for a message. Never throws itself: a proxy or an
 * error's own getter may, and would take the place of the error that is being told of.
 */
export function nameOfThrown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return typeof thrown;
    const name: unknown = thrown.name;
    return typeof name === 'string' ? name : 'Error';
  } catch {
    return typeof thrown;
  }
}
