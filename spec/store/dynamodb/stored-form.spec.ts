import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { isIdempotencyInProgressError } from '../../../lib/errors/index.js';
import { makeIdempotent } from '../../../lib/decorator/make-idempotent.js';
import { jsonCodec } from '../../../lib/results/json-codec.js';
import { deferred } from '../../support/deferred.js';
import { startDynalite } from '../../support/engines/dynalite.js';
import { sharedEngine } from '../../support/engines/engine.js';
import { EngineBench, type TableForm } from './engine-bench.js';

class Receipt {
  readonly total = 4200;
  readonly note = undefined;
  readonly print = (): string => 'printed';
}

/** Results that marshalling treats differently from option to option and from version to version. */
const results: Readonly<Record<string, unknown>> = {
  'members that are not there': { a: undefined, b: [undefined, 1] },
  'a Date': { at: new Date(0) },
  'a Map': { map: new Map([['a', 1]]) },
  'bytes, as JSON writes them': { bytes: Buffer.from('abc') },
  'an object of a class with an arrow function': new Receipt(),
  'empty strings and sets': { text: '', set: new Set(['a']) },
  'numbers that DynamoDB has no form for': { tiny: 5e-324, large: 1.7976931348623157e308 },
};

const start = sharedEngine(startDynalite);

describe('what DynamoDBStore keeps of a result', () => {
  const bench = new EngineBench().runs(start);

  // F53
  for (const [what, result] of Object.entries(results)) {
    it(`is one text attribute, the JSON of it: ${what}`, async () => {
      const call = makeIdempotent((key: string) => Promise.resolve({ key, result }), {
        namespace: 'results',
        key: (key) => key,
        codec: jsonCodec,
        store: bench.store(),
      });
      const live = await call(what);

      const { Item } = await bench.running.client.send(
        new GetItemCommand({ TableName: bench.table, Key: { id: { S: `results#${what}` } } }),
      );
      expect(Item?.['result']).to.deep.equal({ S: JSON.stringify(live) });
      for (const attribute of Object.values(Item ?? {})) {
        expect(Object.keys(attribute)[0]).to.be.oneOf(['S', 'N']);
      }
    });
  }
});

const layouts: Readonly<Record<string, TableForm>> = {
  'the id as partition key': {},
  'the id beside a fixed sort key': {
    attributes: { id: 'pk' },
    sortKey: { name: 'sk', value: 'IDEMPOTENCY' },
  },
  'the id as sort key of one partition': {
    attributes: { id: 'pk' },
    sortKey: { name: 'sk', partition: 'IDEMPOTENCY' },
    keyPrefix: 'app/',
  },
};

describe('an error of a call on a table', () => {
  for (const [what, form] of Object.entries(layouts)) {
    const bench = new EngineBench(form).runs(start);

    // F82
    it(`names the whole id, by which its record is found: ${what}`, async () => {
      const store = bench.store();
      const gate = deferred<string>();
      const begun = deferred<undefined>();
      const call = makeIdempotent(
        (_key: readonly string[]) => {
          begun.resolve(undefined);
          return gate.promise;
        },
        { namespace: 'orders', key: ([tenant, id]) => `${String(tenant)}/${String(id)}`, store },
      );
      const first = call(['t1', 'o1']);
      await begun.promise;
      const error = await call(['t1', 'o1']).then(
        () => undefined,
        (reason: unknown) => reason,
      );

      if (!isIdempotencyInProgressError(error)) throw new Error('It was not in progress');
      expect(error.id).to.equal('orders#t1/o1');
      expect((await store.get(error.id ?? ''))?.status).to.equal('INPROGRESS');
      gate.resolve('placed');
      await first;
      expect(await store.forget(error.id ?? '')).to.equal(true);
    });
  }
});
