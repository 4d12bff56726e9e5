import { describeStoreContract } from '../../../lib/testing/index.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import { EngineBench } from './engine-bench.js';

describe('DynamoDBStore on dynalite', () => {
  const bench = new EngineBench().runs(startDynalite);

  describeStoreContract('DynamoDBStore', bench.harness());
});
