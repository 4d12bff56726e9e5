import { ExitCode, type Command } from '../command.js';
import { setUpActions } from '../iam-policy.js';

const timeToLive = {
  enabled: 'its TTL was switched on',
  'already-enabled': 'its TTL is on',
  'not-supported': 'this engine knows no TTL',
} as const;

export const createTable: Command = {
  name: 'create-table',
  usage: 'create-table [--json]',
  summary: 'create the table, on demand and with TTL; safe to repeat',
  details: [
    'An existing table is checked and left as it is, but for TTL.',
    `Needs ${setUpActions.join(', ')}.`,
  ],
  examples: [
    'create-table --table idempotency',
    'create-table --table idempotency --region local --endpoint http://127.0.0.1:8000',
  ],
  options: { json: { type: 'boolean', help: 'print JSON' } },
  positionals: 0,
  actions: setUpActions,
  async run({ options, terminal, tableName: table, openTable }) {
    const outcome = await openTable().create();
    terminal.out(
      options['json'] === true
        ? `${JSON.stringify({ table, ...outcome })}\n`
        : `${table}: ${outcome.created ? 'created' : 'was there already'}, ${timeToLive[outcome.timeToLive]}\n`,
    );
    return ExitCode.OK;
  },
};
