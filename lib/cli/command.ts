import type { Terminal } from './terminal.js';
import type { RecordsTable } from './records-table.js';

/**
 * How the program ends. 0: done. 1: the record is not there, or the command refused. 2: the command
 * line is wrong. 3: the table could not be reached or did not do what it was asked.
 */
export const ExitCode = { OK: 0, REFUSED: 1, USAGE: 2, STORE: 3 } as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** An option of a command, with what `--help` says about it. */
export interface OptionHelp {
  readonly type: 'boolean' | 'string';
  readonly multiple?: boolean;
  /** What stands for the value in the help: `NAME`. */
  readonly value?: string;
  readonly help: string;
}

export type OptionValues = Readonly<Record<string, string | boolean | string[] | undefined>>;

/** What a command has to work with. */
export interface Invocation {
  readonly options: OptionValues;
  readonly positionals: readonly string[];
  readonly terminal: Terminal;
  /** The name or ARN of the table. */
  readonly tableName: string;
  /** Opens the table: no request is sent yet. */
  readonly openTable: () => RecordsTable;
}

/** One command of the program. */
export interface Command {
  readonly name: string;
  /** How it is called, without the program's name and the common options. */
  readonly usage: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly examples: readonly string[];
  readonly options: Readonly<Record<string, OptionHelp>>;
  /** How many words stand behind the name. */
  readonly positionals: 0 | 1;
  /** The IAM actions that it uses, for the hint where one is denied. */
  readonly actions: readonly string[];
  run(invocation: Invocation): Promise<ExitCode>;
}

/** The command line is wrong: one sentence, and the program ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
