import { ExitCode, type Command } from '../command.js';
import { describeState, jsonOf } from '../record-view.js';
import { printable } from '../terminal.js';

export const forget: Command = {
  name: 'forget',
  usage: 'forget ID [--force] [--json]',
  summary: 'remove one record, so that the next call with its key runs again',
  details: [
    'A live claim is refused: its method is running. With --force it goes too; its owner then ends with IdempotencyClaimLostError, and a second run may overlap with the first.',
    'Needs dynamodb:DeleteItem, and dynamodb:GetItem to say why nothing was removed.',
  ],
  examples: ["forget 'orders#o-1'", "forget 'orders#o-1' --force"],
  options: {
    force: {
      type: 'boolean',
      help: 'remove a live claim, or an unreadable record that may be one',
    },
    json: { type: 'boolean', help: 'print JSON' },
  },
  positionals: 1,
  actions: ['dynamodb:DeleteItem', 'dynamodb:GetItem'],
  async run({ options, positionals: [id = ''], terminal, openTable }) {
    const table = openTable();
    const force = options['force'] === true;
    const forgotten = await table.forget(id, { force, nowMs: terminal.now() });
    const standing = forgotten ? undefined : await table.get(id);
    const nowMs = terminal.now();
    if (options['json'] === true) {
      const record = standing === undefined ? {} : { record: jsonOf(standing, nowMs, false) };
      terminal.out(`${JSON.stringify({ id, forgotten, ...record })}\n`);
    } else if (forgotten) {
      terminal.out(`${printable(id)}: forgotten\n`);
    } else {
      terminal.err(
        standing === undefined
          ? `There is no record ${printable(id)}\n`
          : `${printable(id)} stays: ${printable(describeState(standing, nowMs))}. --force removes it all the same\n`,
      );
    }
    return forgotten ? ExitCode.OK : ExitCode.REFUSED;
  },
};
