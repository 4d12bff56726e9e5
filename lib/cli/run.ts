import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { DynamoDBClientLike } from '../store/dynamodb/client.js';
import { ExitCode, UsageError, type Command, type OptionValues } from './command.js';
import { createTable } from './commands/create-table.js';
import { forget } from './commands/forget.js';
import { get } from './commands/get.js';
import { list } from './commands/list.js';
import { policy } from './commands/policy.js';
import { describeThrown } from './failure.js';
import { commandHelp, overallHelp, PROGRAM } from './help.js';
import { commonOptions, tableSetting } from './options.js';
import { RecordsTable } from './records-table.js';
import { printable, type Terminal } from './terminal.js';

export const commands: readonly Command[] = [createTable, get, list, forget, policy];

/**
 * The program: does what the words say and tells how it went. Never rejects.
 *
 * @param client In place of a client of its own, for specs.
 */
export async function run(
  words: readonly string[],
  terminal: Terminal,
  client?: DynamoDBClientLike,
): Promise<ExitCode> {
  const [name, ...rest] = words;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const help = overallHelp(commands);
    if (name !== undefined) terminal.out(help);
    else terminal.err(help);
    return name === undefined ? ExitCode.USAGE : ExitCode.OK;
  }
  const command = commands.find((each) => each.name === name);
  if (command === undefined) {
    const known = commands.map((each) => each.name).join(', ');
    return fail(terminal, `no command ${printable(name)}: there are ${known}`, ExitCode.USAGE);
  }
  try {
    return await runCommand(command, rest, terminal, client);
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      const help = `${PROGRAM} ${command.name} --help`;
      return fail(terminal, `${printable(thrown.message)} (${help})`, ExitCode.USAGE);
    }
    return fail(terminal, describeThrown(thrown, command.actions), ExitCode.STORE);
  }
}

async function runCommand(
  command: Command,
  words: readonly string[],
  terminal: Terminal,
  client: DynamoDBClientLike | undefined,
): Promise<ExitCode> {
  const { values: options, positionals } = parsed(command, words);
  if (options['help'] === true) {
    terminal.out(commandHelp(command));
    return ExitCode.OK;
  }
  if (positionals.length !== command.positionals || positionals.includes('')) {
    throw new UsageError(
      command.positionals === 0
        ? `unexpected ${positionals.join(' ')}`
        : `expected one id, got ${String(positionals.filter((word) => word !== '').length)}`,
    );
  }
  const setting = tableSetting(options, terminal.env);
  const where = `${PROGRAM} ${command.name}`;
  return command.run({
    options,
    positionals,
    terminal,
    tableName: setting.table,
    openTable: () =>
      usage(() => new RecordsTable(client === undefined ? setting : { ...setting, client }, where)),
  });
}

function parsed(command: Command, words: readonly string[]) {
  const described = Object.entries({ ...command.options, ...commonOptions });
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    described.map(([name, { type, multiple = false }]) => [
      name,
      name === 'help' ? { type, multiple, short: 'h' } : { type, multiple },
    ]),
  );
  return usage(() => {
    const { values, positionals } = parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
    });
    return { values: values as OptionValues, positionals };
  });
}

/** What is wrong with options shows as `TypeError` or `RangeError`, before any request. */
function usage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) {
      throw new UsageError(error.message);
    }
    throw error;
  }
}

function fail(terminal: Terminal, message: string, code: ExitCode): ExitCode {
  terminal.err(`${PROGRAM}: ${message}\n`);
  return code;
}
