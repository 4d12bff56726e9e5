import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * One line of the effects log, which lies outside the engine: what really happened, whatever the
 * table says. `t` is the time of day in milliseconds; an attempt goes by its claim token.
 */
export type Line = { readonly t: number; readonly pid: number } & (
  | { readonly what: 'spawned' | 'killed' | 'stopped' | 'continued' }
  /** The method begins; its claim lasts until `untilMs` at least. */
  | { readonly what: 'start'; readonly key: string; readonly attempt: string; untilMs: number }
  | { readonly what: 'effect'; readonly key: string; readonly attempt: string }
  | { readonly what: 'renewed'; readonly key: string; readonly attempt: string; untilMs: number }
  | { readonly what: 'takeover' | 'completed'; readonly key: string; readonly attempt: string }
  /** What a caller was given: `result` is the attempt that it was told of. */
  | {
      readonly what: 'executed' | 'replayed';
      readonly key: string;
      readonly result: string;
    }
  | { readonly what: 'in-progress' | 'failed'; readonly key: string }
  | { readonly what: 'lost'; readonly key: string; readonly result: string }
  | { readonly what: 'error'; readonly key: string; readonly code: string }
);

type Entry = Line extends infer L ? (L extends Line ? Omit<L, 't' | 'pid'> : never) : never;

/** Appends lines: one write each, which `O_APPEND` keeps whole whoever else writes. */
export class Journal {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  write(entry: Entry, pid = process.pid): void {
    writeSync(this.#file, `${JSON.stringify({ t: Date.now(), pid, ...entry })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export function readJournal(path: string): readonly Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
