import { App, Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { IdempotencyStack } from './idempotency-stack.js';

const app = new App();
const idempotency = new IdempotencyStack(app, 'Idempotency');

const orders = new Stack(app, 'Orders');
const handler = new LambdaFunction(orders, 'OrderHandler', {
  runtime: Runtime.NODEJS_22_X,
  handler: 'order-handler.handle',
  code: Code.fromInline('exports.handle = async () => undefined;'), // Code.fromAsset('dist'), in yours.
  environment: { MAYFLY_IDEMPOTENCY_TABLE: idempotency.table.tableName },
});
idempotency.grantRecords(handler);

app.synth();
