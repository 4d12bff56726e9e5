import { DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { sharedEngine } from '../../support/engines/engine.js';
import { EngineBench } from './engine-bench.js';
import { describeEngine } from './engine-suite.js';

describe('DynamoDBStore on DynamoDB Local', function () {
  this.timeout(60_000); // A cold JVM takes its time over the first requests.

  const start = sharedEngine(startDynamoDBLocal);
  describeEngine(start, {
    returnsItem: true,
    timeToLive: ['enabled', 'already-enabled'],
  });

  describe('TTL', () => {
    const bench = new EngineBench({ attributes: { expiresAt: 'ttl' } }).runs(start);

    it('is on for the expiry attribute', async () => {
      const { client } = bench.running;

      const { TimeToLiveDescription } = await client.send(
        new DescribeTimeToLiveCommand({ TableName: bench.table }),
      );

      expect(TimeToLiveDescription).to.deep.equal({
        TimeToLiveStatus: 'ENABLED',
        AttributeName: 'ttl',
      });
    });
  });
});
