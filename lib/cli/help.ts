import type { Command, OptionHelp } from './command.js';
import { commonOptions } from './options.js';
import { inColumns } from './terminal.js';

export const PROGRAM = 'mayfly-idempotency';

/** What `--help` without a command prints. */
export function overallHelp(commands: readonly Command[]): string {
  return [
    `Looks after the idempotency records in a DynamoDB table.\n`,
    `Usage: ${PROGRAM} COMMAND [options]\n`,
    `Commands:\n${indented(commands.map(({ usage, summary }) => [usage, summary]))}`,
    `Options of every command:\n${optionLines(commonOptions)}`,
    `Credentials, profile, Region and endpoint come from the standard AWS variables and files.
Neither results nor messages of recorded errors are printed without --show-result.\n`,
    `A key that is stuck, in two commands:
  ${PROGRAM} list --expired --table idempotency
  ${PROGRAM} forget orders#o-1 --table idempotency\n`,
    `Exit codes: 0 done; 1 no such record, or refused; 2 wrong command line; 3 the table failed.
More about a command: ${PROGRAM} COMMAND --help\n`,
  ].join('\n');
}

/** What `COMMAND --help` prints. */
export function commandHelp(command: Command): string {
  const { usage, summary, details, options, examples } = command;
  return [
    `Usage: ${PROGRAM} ${usage}\n`,
    `${capitalised(summary)}.\n`,
    ...details.map((paragraph) => `${paragraph}\n`),
    ...(Object.keys(options).length === 0 ? [] : [`Options:\n${optionLines(options)}`]),
    `Options of every command:\n${optionLines(commonOptions)}`,
    `Examples:\n${examples.map((example) => `  ${PROGRAM} ${example}\n`).join('')}`,
  ].join('\n');
}

function optionLines(options: Readonly<Record<string, OptionHelp>>): string {
  return indented(
    Object.entries(options).map(([name, { value, help }]) => [
      value === undefined ? `--${name}` : `--${name} ${value}`,
      help,
    ]),
  );
}

function indented(rows: readonly (readonly string[])[]): string {
  return inColumns(rows).replace(/^/gm, '  ').trimEnd() + '\n';
}

function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
