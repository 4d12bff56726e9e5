import { expect } from 'chai';
import { processState } from '../../../lib/configuration/process-state.js';
import * as dynamodb from '../../../lib/store/dynamodb/index.js';

describe('the dynamodb entry', () => {
  it('exports these names', () => {
    expect(Object.keys(dynamodb).sort()).to.deep.equal(['DynamoDBStore', 'createIdempotencyTable']);
  });

  it('makes a table name enough to open a store, one per table', () => {
    const { openDynamoDBStore } = processState;
    const store = openDynamoDBStore?.('orders');

    expect(store).to.be.instanceOf(dynamodb.DynamoDBStore);
    expect(openDynamoDBStore?.('orders')).to.equal(store);
    expect(openDynamoDBStore?.('payments')).not.to.equal(store);
  });
});
