import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { IdempotencyStoreError } from '../../../lib/errors/index.js';
import {
  DynamoDBStore,
  type DynamoDBClientLike,
  type DynamoDBStoreOptions,
} from '../../../lib/store/dynamodb/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import { RecordingClient } from '../../support/recording-client.js';

const TABLE_VARIABLE = 'MAYFLY_IDEMPOTENCY_TABLE';

describe('DynamoDBStore options', () => {
  describe('that are wrong', () => {
    const client = new RecordingClient();
    const names = (attributes: object) => ({ attributes }) as DynamoDBStoreOptions;
    const sortKey = (key: unknown) => ({ sortKey: key }) as DynamoDBStoreOptions;
    const cases: readonly (readonly [object, typeof TypeError | typeof RangeError, string])[] = [
      [
        { timeout: -1 },
        RangeError,
        'Expected `timeout` to be a positive number of seconds, got -1 (DynamoDBStore)',
      ],
      [{ timeout: 0 }, RangeError, '`timeout` to be a positive number of seconds, got 0'],
      [{ timeout: NaN }, RangeError, '`timeout` to be a positive number of seconds, got NaN'],
      [{ timeout: 5000 }, RangeError, 'up to 3600, got 5000'],
      [{ timeout: '5' }, TypeError, 'got "5"'],
      [
        { clockSkew: -0.1 },
        RangeError,
        '`clockSkew` to be a number of seconds, 0 or more, got -0.1',
      ],
      [{ clockSkew: Infinity }, RangeError, 'got Infinity'],
      [{ clockSkew: 1n }, TypeError, 'got 1n '],
      [{ table: '' }, TypeError, '`table` to be a table\'s name or ARN, got ""'],
      [{ table: 7 }, TypeError, 'got 7'],
      [
        { keyPrefix: 'x'.repeat(513) },
        TypeError,
        '`keyPrefix` to be a string of at most 512 bytes',
      ],
      [{ keyPrefix: null }, TypeError, 'got null'],
      [{ client: {} }, TypeError, '`client` to be a DynamoDB client with a `send` method'],
      [{ clientConfig: 'eu-central-1' }, TypeError, '`clientConfig` to be a configuration'],
      [{ client, clientConfig: {} }, TypeError, 'either `client` or `clientConfig`, got both'],
      [{ tabel: 'idem' }, TypeError, 'got `tabel` (DynamoDBStore)'],
      [names({ id: '' }), TypeError, "`attributes.id` to be an attribute's name"],
      [names({ pk: 'pk' }), TypeError, 'got `pk`'],
      [names({ id: 'status' }), TypeError, 'different names, got "status" twice'],
      [sortKey({ name: 'id', value: 'x' }), TypeError, 'different names, got "id" twice'],
      [sortKey(null), TypeError, '`sortKey` to be an object with `name`, and `value` or'],
      [sortKey('sk'), TypeError, '`partition`, got "sk"'],
      [{ attributes: 'pk' as never }, TypeError, '`attributes` to be an object with names of'],
      [{ attributes: null as never }, TypeError, 'attributes, got null'],
      [sortKey({ name: 'sk' }), TypeError, 'either `value` or `partition`, got neither'],
      [sortKey({ name: 'sk', value: 'a', partition: 'b' }), TypeError, 'got both'],
      [sortKey({ name: 'sk', value: '' }), TypeError, '`sortKey.value` to be a non-empty string'],
      [sortKey({ name: 3, value: 'a' }), TypeError, "`sortKey.name` to be an attribute's name"],
    ];
    for (const [options, errorClass, message] of cases) {
      it(`throw at construction: ${message}`, () => {
        expect(() => new DynamoDBStore(options)).to.throw(errorClass, message);
      });
    }
  });

  describe('table', () => {
    let former: string | undefined;

    beforeEach(() => {
      former = process.env[TABLE_VARIABLE];
      Reflect.deleteProperty(process.env, TABLE_VARIABLE);
    });

    afterEach(() => {
      if (former === undefined) Reflect.deleteProperty(process.env, TABLE_VARIABLE);
      else process.env[TABLE_VARIABLE] = former;
    });

    // F87
    it('is read from the environment at the first use, and kept', async () => {
      const client = new RecordingClient();
      const store = new DynamoDBStore({ client, table: undefined });

      process.env[TABLE_VARIABLE] = 'late';
      await store.get('a');
      process.env[TABLE_VARIABLE] = 'later';
      await store.get('a');

      expect(client.seen.map(({ input }) => String(input.TableName))).to.deep.equal([
        'late',
        'late',
      ]);
    });

    it('wins over the environment', async () => {
      const client = new RecordingClient();
      process.env[TABLE_VARIABLE] = 'other';

      await new DynamoDBStore({ client, table: 'mine' }).get('a');

      expect(client.last.input.TableName).to.equal('mine');
    });

    it('is asked for at each use until there is one', async () => {
      const client = new RecordingClient();
      const store = new DynamoDBStore({ client });
      for (const unset of [undefined, '']) {
        if (unset !== undefined) process.env[TABLE_VARIABLE] = unset;

        const error = await expectRejection(store.get('a'), IdempotencyStoreError);

        expect(error.message).to.match(/no table is named.*new DynamoDBStore\(\{ table \}\)/);
        expect(error.message).to.contain(TABLE_VARIABLE);
        expect(error).to.include({ retryable: false, maybeApplied: false });
      }
      expect(client.seen).to.have.lengthOf(0);

      process.env[TABLE_VARIABLE] = 'idem';
      await store.get('a');
      expect(client.last.input.TableName).to.equal('idem');
    });
  });

  describe('keyPrefix', () => {
    it('stands before the id in the table and nowhere else', async () => {
      const client = new RecordingClient();
      const store = new DynamoDBStore({ client, table: 'idem', keyPrefix: 'idem#' });

      await store.release({ id: 'orders#o1', token: 't' });

      expect(client.last.input.Key).to.deep.equal({ id: { S: 'idem#orders#o1' } });
    });
  });

  describe('sortKey', () => {
    const key = async (options: Pick<DynamoDBStoreOptions, 'sortKey' | 'attributes'>) => {
      const client = new RecordingClient();
      await new DynamoDBStore({ client, table: 'idem', ...options }).get('orders#o1');
      return client.last.input.Key as unknown;
    };

    // F62
    it('with a value keeps the id in the partition key', async () => {
      expect(
        await key({ attributes: { id: 'pk' }, sortKey: { name: 'sk', value: 'IDEM' } }),
      ).to.deep.equal({ pk: { S: 'orders#o1' }, sk: { S: 'IDEM' } });
    });

    // F62
    it('with a partition keeps the id in the sort key', async () => {
      expect(
        await key({ attributes: { id: 'pk' }, sortKey: { name: 'sk', partition: 'IDEM' } }),
      ).to.deep.equal({ pk: { S: 'IDEM' }, sk: { S: 'orders#o1' } });
    });
  });

  describe('client', () => {
    // F84
    it('fits the clients of the SDK and anything else with a send method', () => {
      const fit = (client: DynamoDBClientLike) => new DynamoDBStore({ client, table: 'idem' });
      // Compiled, not called: what matters is that the types fit.
      const compiled: ((client: DynamoDBClient) => DynamoDBStore)[] = [fit];
      const older = {
        send(command: { readonly input: object }, options?: { abortSignal?: unknown }) {
          return Promise.resolve({ ...command.input, ...options });
        },
      };

      expect(compiled).to.have.lengthOf(1);
      expect(fit(older)).to.be.instanceOf(DynamoDBStore);
    });

    it('excludes clientConfig in the types too', () => {
      const client = new RecordingClient();
      // @ts-expect-error -- one or the other
      const both: DynamoDBStoreOptions = { table: 'idem', client, clientConfig: {} };

      expect(() => new DynamoDBStore(both)).to.throw(TypeError);
    });

    it('is made of clientConfig at the first use, with its failure told', async () => {
      const store = new DynamoDBStore({
        table: 'idem',
        clientConfig: {
          region: 'eu-central-1',
          credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
          // Nothing listens on the discard port of the loopback interface.
          endpoint: 'http://127.0.0.1:9',
          maxAttempts: 1,
        },
      });

      const error = await expectRejection(store.get('a'), IdempotencyStoreError);

      expect(error.message).to.contain('DynamoDB cannot be reached');
      expect(error.cause).to.have.property('code', 'ECONNREFUSED');
    });
  });
});
