/** The message of every wrong option: what was expected, what came, and where. */
export function wrongOption(option: string, what: string, value: unknown, where: string): string {
  return `Expected \`${option}\` to be ${what}, got ${described(value)} (${where})`;
}

/** A value for an error message: short, on one line, and never the contents of an object. */
export function described(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
    case 'function':
      return 'a function';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? 'an array' : 'an object';
    case 'bigint':
      return `${String(value)}n`;
    default:
      return String(value);
  }
}
