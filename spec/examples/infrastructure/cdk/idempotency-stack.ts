import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

export interface IdempotencyStackProps extends StackProps {
  readonly tableName?: string;
  /** Backups of the last 35 days. Records are short-lived; most tables need none. */
  readonly pointInTimeRecovery?: boolean;
}

/** The table for mayfly-idempotency, and the policies for its code and for operators. */
export class IdempotencyStack extends Stack {
  readonly table: TableV2;
  readonly operatorPolicy: ManagedPolicy;

  constructor(scope: Construct, id: string, props: IdempotencyStackProps = {}) {
    const { tableName = 'idempotency', pointInTimeRecovery = false, ...stackProps } = props;
    super(scope, id, stackProps);

    this.table = new TableV2(this, 'IdempotencyTable', {
      tableName,
      billing: Billing.onDemand(),
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expires_at',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery },
      // A lost table is a second run of everything that clients still retry.
      removalPolicy: RemovalPolicy.RETAIN,
    });

    // For people with the command line: get, list and forget.
    this.operatorPolicy = new ManagedPolicy(this, 'OperatorPolicy', {
      statements: [
        new PolicyStatement({
          sid: 'IdempotencyOperator',
          actions: ['dynamodb:GetItem', 'dynamodb:Scan', 'dynamodb:DeleteItem'],
          resources: [this.table.tableArn],
        }),
      ],
    });

    new CfnOutput(this, 'IdempotencyTableName', { value: this.table.tableName });
  }

  /**
   * Allows a function or role all that decorated code needs; `grantReadWriteData` would allow scans
   * and batches too. Code that uses `commitWith` needs, besides, what each deferred write is on the
   * table that it writes: `grant(fn, 'dynamodb:PutItem')` and the like, or `ConditionCheckItem`.
   */
  grantRecords(grantee: IGrantable): void {
    this.table.grant(
      grantee,
      'dynamodb:PutItem',
      'dynamodb:GetItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
    );
  }
}
