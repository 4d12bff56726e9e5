import { parseArgs } from 'node:util';

export interface DemoOptions {
  readonly help: boolean;
  /** Where DynamoDB is; absent with `table` alone: AWS as the environment configures it. */
  readonly endpoint: string | undefined;
  readonly table: string | undefined;
}

export const HELP = `Usage: npm run demo -- [--endpoint URL] [--table NAME]

Delivers orders in AWS's event shapes to a Lambda handler, each several times, and shows
that every order is placed once. Exits with 1 if one was not.

  --endpoint URL  use the DynamoDB at URL, for example DynamoDB Local at
                  http://127.0.0.1:8000; on a loopback address with made-up credentials
  --table NAME    use this table, made where it is missing. Default: mayfly-idempotency-demo.
                  Without --endpoint: on AWS, with your own configuration and credentials
  --help          show this

Without options dynalite runs inside this process, with a table in memory.
`;

/** @throws TypeError for options that do not exist or lack their value. */
export function demoOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      endpoint: { type: 'string' },
      table: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { endpoint, table, help } = values;
  if (endpoint !== undefined && !URL.canParse(endpoint)) {
    throw new TypeError(`Expected --endpoint to be a URL, got '${endpoint}'`);
  }
  if (table === '') throw new TypeError("Expected --table to be a table's name, got ''");
  return { help, endpoint, table };
}
