import { ExitCode, type Command } from '../command.js';
import { jsonOf, linesOf } from '../record-view.js';
import { inColumns, printable } from '../terminal.js';

export const get: Command = {
  name: 'get',
  usage: 'get ID [--show-result] [--json]',
  summary: 'show one record',
  details: [
    'The id is namespace, #, key, as errors and events carry it. Put it in quotes, and behind -- where it begins with a dash.',
    'Needs dynamodb:GetItem.',
  ],
  examples: [
    "get 'orders#o-1'",
    "get 'orders#o-1' --show-result --json",
    "get --key-prefix idem# --attribute id=pk --sort-key sk=RECORD 'orders#o-1'",
  ],
  options: {
    'show-result': {
      type: 'boolean',
      help: 'print the result, or the message of a recorded error',
    },
    json: { type: 'boolean', help: 'print JSON' },
  },
  positionals: 1,
  actions: ['dynamodb:GetItem'],
  async run({ options, positionals: [id = ''], terminal, openTable }) {
    const found = await openTable().get(id);
    if (found === undefined) {
      terminal.err(`There is no record ${printable(id)}\n`);
      return ExitCode.REFUSED;
    }
    const showResult = options['show-result'] === true;
    const nowMs = terminal.now();
    terminal.out(
      options['json'] === true
        ? `${JSON.stringify(jsonOf(found, nowMs, showResult))}\n`
        : inColumns([
            ['id', printable(id)],
            ...linesOf(found, nowMs, showResult).map(([name, value]) => [name, printable(value)]),
          ]),
    );
    return ExitCode.OK;
  },
};
