import { startDynalite } from '../../support/engines/dynalite.js';
import { describeReadFirst } from './read-first-suite.js';

describe('DynamoDBStore with readFirst on dynalite', () => {
  describeReadFirst(startDynalite, { returnsItem: false });
});
