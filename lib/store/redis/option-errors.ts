/** The message of every wrong option: what was expected, what came, and where. */
export function wrongOption(option: string, what: string, value: unknown, where: string): string {
  return `Expected \`${option}\` to be ${what}, got ${described(value)} (${where})`;
}

/** A value on one line, and never the contents of an object. */
function described(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'object':
      return value === null ? 'null' : 'an object';
    case 'function':
      return 'a function';
    default:
      return String(value);
  }
}
