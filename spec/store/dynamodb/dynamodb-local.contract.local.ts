import { describeStoreContract } from '../../../lib/testing/index.js';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { EngineBench } from './engine-bench.js';

describe('DynamoDBStore on DynamoDB Local', function () {
  this.timeout(60_000); // A cold JVM takes its time over the first requests.

  const bench = new EngineBench().runs(startDynamoDBLocal);

  describeStoreContract('DynamoDBStore', bench.harness());
});
