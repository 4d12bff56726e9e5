/** What the program talks to; specs bring their own. */
export interface Terminal {
  /** What was asked for. */
  out(text: string): void;
  /** Everything else: progress, notes and errors. */
  err(text: string): void;
  /** Whether somebody watches `err`, so that progress may be drawn over. */
  readonly errIsTty: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
}

/**
 * Text from the table, fit for a terminal: ids come from clients, and control characters in them
 * (or characters that turn the direction of writing) could draw anything.
 */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Rows in columns, two spaces apart; the last column is as wide as it is. */
export function inColumns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
