import { expect } from 'chai';
import { EngineBench } from '../store/dynamodb/engine-bench.js';
import { startDynalite } from '../support/engines/dynalite.js';
import { freshTableName } from '../support/engines/engine.js';
import { NOW_MS, Records, runCli, type Ending } from './cli-bench.js';

const SECRET = 'card 4242';

describe('the command line', () => {
  const bench = new EngineBench().runs(startDynalite);
  const cli = (...words: string[]): Promise<Ending> =>
    runCli([...words, '--table', bench.table], bench.running.client);
  const records = () => new Records(bench.store());
  const ids = ({ out }: Ending): string[] =>
    out
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/\s{2,}/)[0] ?? '')
      .sort();

  before('put a record of each state', async () => {
    await records().claimed('live', 12_000);
    await records().claimed('abandoned', -181_000);
    await records().claimed('rejecting', -181_000, 'reject');
    await records().completed('done', JSON.stringify({ receipt: SECRET }));
    await records().failed('declined', SECRET);
    await bench.put({ id: 'broken', status: 'INPROGRESS', in_progress_until: 'noon' });
    await bench.put({ id: 'foreign', kind: 'customer' });
    await bench.put({ id: 'newer', status: 'COMPLETED', v: 9 });
  });

  describe('get', () => {
    it('shows a running claim with the time that is left of it', async () => {
      const { code, out } = await cli('get', 'live');

      expect(code).to.equal(0);
      expect(out).to.match(/^id +live\nstate +in progress, 13 s left\n/);
    });

    it('shows an abandoned claim with the time since', async () => {
      expect((await cli('get', 'abandoned')).out).to.match(/state +abandoned 3 min ago\n/);
    });

    it('says of a claim without expiry that it stays', async () => {
      const { out } = await cli('get', 'rejecting');

      expect(out).to.match(/state +abandoned 3 min ago, and nothing sweeps it\n/);
    });

    it('shows a result’s age and size, and not the result', async () => {
      const { code, out } = await cli('get', 'done');

      expect(code).to.equal(0);
      expect(out).to.match(/state +completed 2 h ago, expires in 4 h\n/);
      expect(out).to.match(/result +23 bytes of json; --show-result prints it\n/);
      expect(out).not.to.contain(SECRET);
    });

    it('shows the result when asked to', async () => {
      const { out } = await cli('get', 'done', '--show-result');

      expect(out).to.match(/result +\{"receipt":"card 4242"\}\n/);
    });

    it('shows a recorded error’s name, and its message only when asked to', async () => {
      const { out } = await cli('get', 'declined');
      const asked = await cli('get', 'declined', '--show-result');

      expect(out).to.match(/state +failed 2 h ago, expired 59 min ago\n/);
      expect(out).to.match(/error +CardDeclined; --show-result prints its message\n/);
      expect(out).not.to.contain(SECRET);
      expect(asked.out).to.match(/error +CardDeclined: card 4242\n/);
    });

    it('shows why a record cannot be read', async () => {
      const { code, out } = await cli('get', 'broken');

      expect(code).to.equal(0);
      expect(out).to.match(/state +unreadable: `in_progress_until` is not a number\n/);
    });

    it('prints JSON without token, result and error', async () => {
      const { out } = await cli('get', 'done', '--json');

      expect(JSON.parse(out)).to.deep.equal({
        id: 'done',
        state: 'completed',
        status: 'COMPLETED',
        takeoverAt: new Date(NOW_MS + 4 * 3_600_000 + 1000).toISOString(),
        completedAt: new Date(NOW_MS - 2 * 3_600_000).toISOString(),
        expiresAt: new Date(NOW_MS + 4 * 3_600_000).toISOString(),
      });
      expect((await cli('get', 'declined', '--json')).out).not.to.contain('Declined');
    });

    it('prints the result as JSON when asked to', async () => {
      const { out } = await cli('get', 'done', '--json', '--show-result');

      expect(JSON.parse(out)).to.include({ result: '{"receipt":"card 4242"}' });
    });

    it('ends with 1 where there is no record', async () => {
      expect(await cli('get', 'nobody')).to.deep.equal({
        code: 1,
        out: '',
        err: 'There is no record nobody\n',
      });
    });

    it('takes an id that begins with a dash behind --', async () => {
      const ending = await runCli(
        ['get', '--table', bench.table, '--', '-x'],
        bench.running.client,
      );

      expect(ending.err).to.equal('There is no record -x\n');
    });
  });

  describe('list', () => {
    it('shows every record, unreadable ones with the reason', async () => {
      const ending = await cli('list');

      expect(ending.code).to.equal(0);
      expect(ids(ending)).to.deep.equal(
        ['abandoned', 'broken', 'declined', 'done', 'foreign', 'live', 'newer', 'rejecting'].sort(),
      );
      expect(ending.out).to.match(/^foreign +unreadable: `status` is none of /m);
      expect(ending.out).not.to.contain(SECRET);
    });

    it('shows with --expired what blocks its key and has no owner', async () => {
      const ending = await cli('list', '--expired');

      expect(ids(ending)).to.deep.equal(['abandoned', 'broken', 'foreign', 'newer', 'rejecting']);
    });

    it('filters by status', async () => {
      expect(ids(await cli('list', '--status', 'completed'))).to.deep.equal(['done', 'newer']);
      expect(ids(await cli('list', '--status', 'FAILED'))).to.deep.equal(['declined']);
      expect(ids(await cli('list', '--status', 'in-progress', '--expired'))).to.deep.equal([
        'abandoned',
        'broken',
        'rejecting',
      ]);
    });

    it('never asks for results, errors or tokens', async () => {
      const { recording } = bench.running;
      await runCli(['list', '--table', bench.table], recording);

      const { ProjectionExpression, ExpressionAttributeNames } = recording.last.input;
      const asked = (ProjectionExpression as string)
        .split(', ')
        .map((name) => ExpressionAttributeNames[name]);
      expect(asked).to.include.members(['id', 'status']);
      expect(asked).not.to.include.oneOf(['result', 'error', 'claim_token']);
    });

    it('stops at the limit and says so', async () => {
      const ending = await cli('list', '--limit', '2');

      expect(ids(ending)).to.have.length(2);
      expect(ending.err).to.contain('Only the first 2;');
    });

    it('says nothing about a limit that just fits', async () => {
      expect((await cli('list', '--limit', '8')).err).to.equal('');
    });

    it('prints one JSON object a line', async () => {
      const { out } = await cli('list', '--expired', '--json');

      const lines = out.trimEnd().split('\n');
      const listed = lines.map((line) => JSON.parse(line) as { id: string; state: string });
      expect(listed).to.have.length(5);
      expect(listed.find(({ id }) => id === 'abandoned')).to.include({ state: 'abandoned' });
      expect(listed.find(({ id }) => id === 'broken')).to.deep.equal({
        id: 'broken',
        state: 'unreadable',
        reason: '`in_progress_until` is not a number',
      });
    });
  });

  describe('forget', () => {
    it('frees an abandoned key in two commands', async () => {
      await records().claimed('stuck', -181_000);

      expect(ids(await cli('list', '--expired'))).to.include('stuck');
      expect(await cli('forget', 'stuck')).to.deep.equal({
        code: 0,
        out: 'stuck: forgotten\n',
        err: '',
      });
      expect(ids(await cli('list', '--expired'))).not.to.include('stuck');
      await records().claimed('stuck', 12_000);
    });

    it('refuses a live claim', async () => {
      await records().claimed('running', 12_000);

      expect(await cli('forget', 'running')).to.deep.equal({
        code: 1,
        out: '',
        err: 'running stays: in progress, 13 s left. --force removes it all the same\n',
      });
      expect((await cli('get', 'running')).code).to.equal(0);
    });

    it('removes a live claim when forced', async () => {
      await records().claimed('forced', 12_000);

      expect((await cli('forget', 'forced', '--force')).code).to.equal(0);
      expect((await cli('get', 'forced')).code).to.equal(1);
    });

    it('refuses a record whose liveness cannot be read, unless forced', async () => {
      await bench.put({ id: 'unclear', status: 'INPROGRESS', in_progress_until: 'noon' });

      const refused = await cli('forget', 'unclear');

      expect(refused.code).to.equal(1);
      expect(refused.err).to.contain('unclear stays: unreadable: `in_progress_until` is not');
      expect((await cli('forget', 'unclear', '--force')).code).to.equal(0);
      expect((await cli('get', 'unclear')).code).to.equal(1);
    });

    it('ends with 1 where there is no record', async () => {
      const { code, out } = await cli('forget', 'nobody', '--json');

      expect(code).to.equal(1);
      expect(JSON.parse(out)).to.deep.equal({ id: 'nobody', forgotten: false });
    });
  });

  describe('create-table', () => {
    it('creates a table once', async () => {
      const table = freshTableName();
      const create = () =>
        runCli(['create-table', '--table', table, '--json'], bench.running.client);

      const first = await create();
      const second = await create();

      expect(first.code).to.equal(0);
      expect(JSON.parse(first.out)).to.include({ table, created: true });
      expect(JSON.parse(second.out)).to.include({ table, created: false });
    });

    it('ends with 3 where the table has another key', async () => {
      const { code, err } = await cli('create-table', '--attribute', 'id=pk');

      expect(code).to.equal(3);
      expect(err).to.contain('partition key pk (S) is needed');
      expect(err.trimEnd()).not.to.contain('\n');
    });
  });
});

describe('the command line on a shared table', () => {
  const form = {
    keyPrefix: 'idem#',
    attributes: { id: 'pk', status: 'state' },
    sortKey: { name: 'sk', value: 'RECORD' },
  };
  const bench = new EngineBench(form).runs(startDynalite);
  const layout = [
    ...['--key-prefix', 'idem#', '--attribute', 'id=pk', '--attribute', 'status=state'],
    ...['--sort-key', 'sk=RECORD'],
  ];
  const cli = (...words: string[]) =>
    runCli([...words, ...layout, '--table', bench.table], bench.running.client);

  it('sees its own records alone, under the ids that the code knows', async () => {
    await new Records(bench.store()).claimed('o-1', -181_000);
    await bench.put({ pk: 'customer#1', sk: 'RECORD' });
    await bench.put({ pk: 'idem#o-1', sk: 'OTHER' });

    const { out } = await cli('list', '--expired');

    expect(out).to.equal('ID   STATE\no-1  abandoned 3 min ago\n');
    expect((await cli('get', 'o-1')).code).to.equal(0);
    expect((await cli('forget', 'o-1')).code).to.equal(0);
    expect((await cli('list')).out).to.equal('');
  });
});
