import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { sharedEngine } from '../../support/engines/engine.js';
import { describeFaultyNetwork } from './suite.js';

describe('idempotent calls over a faulty network to DynamoDB Local', function () {
  this.timeout(60_000); // A cold JVM takes its time over the first requests.
  const start = sharedEngine(startDynamoDBLocal);

  describe('that returns the items of refused writes', () => {
    describeFaultyNetwork(start, { returnsItems: true });
  });

  describe('that returns them to nobody', () => {
    describeFaultyNetwork(start, { returnsItems: false, withholdsItems: true });
  });
});
