import { startDynalite } from '../../support/engines/dynalite.js';
import { describeEngine } from './engine-suite.js';

describe('DynamoDBStore on dynalite', () => {
  describeEngine(startDynalite, {
    returnsItem: false,
    timeToLive: ['not-supported', 'not-supported'],
  });
});
