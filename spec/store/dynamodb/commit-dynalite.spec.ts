import { expect } from 'chai';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { EngineBench } from './engine-bench.js';

describe('DynamoDBStore commits on dynalite', () => {
  const bench = new EngineBench().runs(startDynalite);

  it('says that the engine knows no transactions', async () => {
    const writes = [{ Put: { TableName: bench.table, Item: { id: { S: 'order' } } } }];
    const error = await expectRejection(
      bench.store().commit({ token: 'token', writes }),
      IdempotencyStoreError,
    );

    expect(error).to.include({ operation: 'commit', retryable: false, maybeApplied: false });
    expect(error.message).to.match(/the engine knows no transactions.*MemoryStore/);
  });
});
