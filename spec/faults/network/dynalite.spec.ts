import { sharedEngine } from '../../support/engines/engine.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import { describeFaultyNetwork } from './suite.js';

describe('idempotent calls over a faulty network to dynalite', () => {
  describeFaultyNetwork(sharedEngine(startDynalite), { returnsItems: false });
});
