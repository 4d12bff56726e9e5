import { ExitCode, UsageError, type Command } from '../command.js';
import { operatorActions, policyOf, setUpActions, storeActions, tableArn } from '../iam-policy.js';
import { text } from '../options.js';

export const policy: Command = {
  name: 'policy',
  usage: 'policy [--operator] [--account N]',
  summary: 'print the least IAM policy for the table',
  details: [
    'Without --operator: what decorated code needs. With it: what this program needs, get, list and forget apart from create-table.',
    "commitWith needs on the tables of the deferred writes what each of them is: dynamodb:PutItem, UpdateItem, DeleteItem or ConditionCheckItem. On the records' table it needs nothing more.",
    'Sends no request.',
  ],
  examples: [
    'policy --table idempotency --region eu-central-1 --account 123456789012',
    'policy --operator --table idempotency',
  ],
  options: {
    operator: { type: 'boolean', help: 'for the people who use this program' },
    account: { type: 'string', value: 'N', help: 'the AWS account, 12 digits (default: any)' },
  },
  positionals: 0,
  actions: [],
  run({ options, terminal, tableName }) {
    const account = text(options, 'account');
    if (account !== undefined && !/^\d{12}$/.test(account)) {
      throw new UsageError(`expected --account to be 12 digits, got ${account}`);
    }
    const region = text(options, 'region') ?? terminal.env['AWS_REGION'];
    const arn = tableArn(tableName, region, account);
    const statements =
      options['operator'] === true
        ? { IdempotencyOperator: operatorActions, IdempotencySetUp: setUpActions }
        : { IdempotencyRecords: storeActions };
    terminal.out(`${JSON.stringify(policyOf(arn, statements), null, 2)}\n`);
    if (arn.includes(':*:')) {
      terminal.err('The policy is for any Region or account: --region and --account narrow it\n');
    }
    return Promise.resolve(ExitCode.OK);
  },
};
