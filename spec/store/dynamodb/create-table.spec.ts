import { expect } from 'chai';
import {
  createIdempotencyTable,
  type CreateTableOptions,
} from '../../../lib/store/dynamodb/index.js';
import { manualClock } from '../../../lib/testing/index.js';
import { expectRejection } from '../../support/expect-rejection.js';
import {
  makeSdkError,
  output,
  RecordingClient,
  sdkError,
  type Answer,
} from '../../support/recording-client.js';

const clock = manualClock();

function tableInState(
  TableStatus: string,
  keys: readonly (readonly [string, string])[] = [['id', 'S']],
) {
  return output({
    Table: {
      TableStatus,
      KeySchema: keys.map(([AttributeName], index) => ({
        AttributeName,
        KeyType: index === 0 ? 'HASH' : 'RANGE',
      })),
      AttributeDefinitions: keys.map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
    },
  });
}

const active = tableInState('ACTIVE');
const noTimeToLive = output({ TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } });
const timeToLiveOn = (AttributeName: string) =>
  output({ TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName } });

function create(options: Partial<CreateTableOptions>, ...answers: readonly Answer[]) {
  const client = new RecordingClient().next(...answers);
  const outcome = createIdempotencyTable({
    table: 'idem',
    clock,
    ...options,
    client,
  } as CreateTableOptions);
  return { client, outcome };
}

describe('createIdempotencyTable', () => {
  it('creates an on-demand table and switches its TTL on', async () => {
    const { client, outcome } = create({}, output(), active, noTimeToLive, output());

    expect(await outcome).to.deep.equal({ created: true, timeToLive: 'enabled' });
    expect(client.names).to.deep.equal([
      'CreateTable',
      'DescribeTable',
      'DescribeTimeToLive',
      'UpdateTimeToLive',
    ]);
    expect(client.seen[0]?.input).to.deep.equal({
      TableName: 'idem',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    });
    expect(client.last.input).to.deep.equal({
      TableName: 'idem',
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    });
  });

  it('uses the mapped names and the sort key', async () => {
    const { client, outcome } = create(
      { attributes: { id: 'pk', expiresAt: 'ttl' }, sortKey: { name: 'sk', value: 'IDEM' } },
      output(),
      tableInState('ACTIVE', [
        ['pk', 'S'],
        ['sk', 'S'],
      ]),
      noTimeToLive,
    );

    await outcome;

    expect(client.seen[0]?.input.KeySchema).to.deep.equal([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(client.last.input.TimeToLiveSpecification.AttributeName).to.equal('ttl');
  });

  it('is safe to repeat', async () => {
    const { client, outcome } = create(
      {},
      sdkError('ResourceInUseException'),
      active,
      timeToLiveOn('expires_at'),
    );

    expect(await outcome).to.deep.equal({ created: false, timeToLive: 'already-enabled' });
    expect(client.names).not.to.contain('UpdateTimeToLive');
  });

  it('is safe to run twice at the same time', async () => {
    const { outcome } = create(
      {},
      sdkError('ResourceInUseException'),
      active,
      noTimeToLive,
      sdkError('ValidationException', { message: 'TimeToLive is already enabled' }),
    );

    expect(await outcome).to.deep.equal({ created: false, timeToLive: 'already-enabled' });
  });

  it('waits until the table is visible and active', async () => {
    const { client, outcome } = create(
      {},
      output(),
      sdkError('ResourceNotFoundException'),
      tableInState('CREATING'),
      active,
      noTimeToLive,
      output(),
    );

    await clock.advance(500);
    expect(client.names.at(-1)).to.equal('DescribeTable');
    await clock.advance(500);

    expect(await outcome).to.deep.equal({ created: true, timeToLive: 'enabled' });
  });

  it('gives up waiting after waitSeconds', async () => {
    const creating = tableInState('CREATING');
    const { outcome } = create(
      { waitSeconds: 1.5 },
      output(),
      ...Array.from({ length: 4 }, () => creating),
    );
    const rejection = expectRejection(outcome);

    await clock.advance(1500);

    expect((await rejection).message).to.contain('idem did not become active within 1.5 s');
  });

  it('tells an engine without TTL', async () => {
    for (const answers of [
      [sdkError('UnknownOperationException')],
      [noTimeToLive, sdkError('UnknownOperationException')],
    ]) {
      const { outcome } = create({}, output(), active, ...answers);

      expect(await outcome).to.deep.equal({ created: true, timeToLive: 'not-supported' });
    }
  });

  it('says what is wrong with an existing table', async () => {
    const inUse = sdkError('ResourceInUseException');
    const cases: readonly (readonly [readonly (readonly [string, string])[], string])[] = [
      [[['pk', 'S']], 'exists with partition key pk (S), and partition key id (S) is needed'],
      [[['id', 'N']], 'exists with partition key id (N)'],
      [
        [
          ['id', 'S'],
          ['sk', 'S'],
        ],
        'exists with partition key id (S) and sort key sk (S)',
      ],
    ];
    for (const [keys, message] of cases) {
      const { outcome } = create({}, inUse, tableInState('ACTIVE', keys));
      expect((await expectRejection(outcome)).message).to.contain(message);
    }

    const { outcome } = create({}, inUse, active, timeToLiveOn('ttl'));
    expect((await expectRejection(outcome)).message).to.contain(
      'has TTL on ttl, and expires_at is needed',
    );
  });

  it("passes the SDK's own errors through", async () => {
    const error = makeSdkError('AccessDeniedException');
    const denied: Answer = () => Promise.reject(error);

    for (const answers of [
      [denied],
      [output(), denied],
      [output(), active, denied],
      [output(), active, noTimeToLive, denied],
    ]) {
      expect(await expectRejection(create({}, ...answers).outcome)).to.equal(error);
    }
  });

  it('rejects wrong options', async () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ table: '' }, "`table` to be a table's name"],
      [{ table: undefined }, "`table` to be a table's name"],
      [{ waitSeconds: 0 }, '`waitSeconds` to be a positive number of seconds, got 0'],
      [{ attributes: { id: '' } }, '`attributes.id`'],
    ];
    for (const [options, message] of wrong) {
      const { client, outcome } = create(options);
      expect((await expectRejection(outcome)).message).to.contain(message);
      expect(client.seen).to.have.lengthOf(0);
    }
  });
});
