import { describeStoreContract } from '../../../lib/testing/index.js';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { EngineBench } from './engine-bench.js';

describe('DynamoDBStore on DynamoDB Local', () => {
  const bench = new EngineBench().runs(startDynamoDBLocal);

  describeStoreContract('DynamoDBStore', bench.harness());
});
