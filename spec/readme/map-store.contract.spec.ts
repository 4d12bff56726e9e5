import { describeStoreContract } from '../../lib/testing/store-contract.js';
import { MapStore } from '../examples/map-store.js';

// The store that the README shows as an example of one's own.
describeStoreContract('MapStore', {
  create: () => ({ store: new MapStore() }),
  expiryGranularityMs: 1,
});
