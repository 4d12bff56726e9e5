import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { describeReadFirst } from './read-first-suite.js';

describe('DynamoDBStore with readFirst on DynamoDB Local', function () {
  this.timeout(60_000); // A cold JVM takes its time over the first requests.

  describeReadFirst(startDynamoDBLocal, { returnsItem: true });
});
