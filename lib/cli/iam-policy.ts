/** What the decorated code needs: `DynamoDBStore` sends nothing else. */
export const storeActions = [
  'dynamodb:PutItem',
  'dynamodb:GetItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
] as const;

/** What `get`, `list` and `forget` need. */
export const operatorActions = [
  'dynamodb:GetItem',
  'dynamodb:Scan',
  'dynamodb:DeleteItem',
] as const;

/** What `create-table` needs. */
export const setUpActions = [
  'dynamodb:CreateTable',
  'dynamodb:DescribeTable',
  'dynamodb:DescribeTimeToLive',
  'dynamodb:UpdateTimeToLive',
] as const;

export interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: string;
}

export interface Policy {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
}

export function policyOf(Resource: string, actions: Readonly<Record<string, readonly string[]>>) {
  const Statement = Object.entries(actions).map(([Sid, Action]): Statement => ({
    Sid,
    Effect: 'Allow',
    Action,
    Resource,
  }));
  return { Version: '2012-10-17', Statement } satisfies Policy;
}

/** The table's ARN; what is not known is `*`. */
export function tableArn(table: string, region = '*', account = '*'): string {
  if (table.startsWith('arn:')) return table;
  return `arn:${partitionOf(region)}:dynamodb:${region}:${account}:table/${table}`;
}

/** Source: AWS General Reference, "Amazon Resource Names (ARNs)". */
function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
