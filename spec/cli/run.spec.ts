import { expect } from 'chai';
import { commands } from '../../lib/cli/run.js';
import {
  makeSdkError,
  output,
  RecordingClient,
  sdkError,
  type Answer,
} from '../support/recording-client.js';
import { runCli } from './cli-bench.js';

const env = { MAYFLY_IDEMPOTENCY_TABLE: 'idem' };

describe('run', () => {
  describe('help', () => {
    it('names every command and the exit codes', async () => {
      const { code, out } = await runCli(['--help']);

      expect(code).to.equal(0);
      for (const { usage } of commands) expect(out).to.contain(`  ${usage}`);
      expect(out).to.contain('Exit codes: 0 done');
    });

    it('is what a call without a command gets, as an error', async () => {
      const { code, out, err } = await runCli([]);

      expect([code, out]).to.deep.equal([2, '']);
      expect(err).to.contain('Usage: mayfly-idempotency COMMAND');
    });

    for (const { name, options, examples } of commands) {
      it(`of ${name} explains its options and shows examples, without a table`, async () => {
        const { code, out } = await runCli([name, '--help']);

        expect(code).to.equal(0);
        for (const option of Object.keys(options)) expect(out).to.contain(`--${option}`);
        expect(examples).to.have.length.above(1);
        for (const example of examples) expect(out).to.contain(example);
      });
    }
  });

  describe('a wrong command line', () => {
    const wrong: readonly (readonly [string, readonly string[], string])[] = [
      ['an unknown command', ['drop'], 'no command drop'],
      ['an unknown option', ['list', '--all'], "Unknown option '--all'"],
      ['a missing id', ['get'], 'expected one id, got 0'],
      ['two ids', ['forget', 'a', 'b'], 'expected one id, got 2'],
      ['an empty id', ['get', ''], 'expected one id, got 0'],
      ['a stray word', ['list', 'x'], 'unexpected x'],
      ['a limit that is no number', ['list', '--limit', '0'], 'expected --limit'],
      ['an unknown status', ['list', '--status', 'toString'], 'expected --status'],
      ['a finished status with --expired', ['list', '--status', 'failed', '--expired'], 'leave'],
      ['a part that no record has', ['list', '--attribute', 'x=y'], 'Expected `attributes`'],
      ['an attribute without a name', ['list', '--attribute', 'id'], 'PART=NAME'],
      ['a sort key without a value', ['list', '--sort-key', 'sk'], '--sort-key NAME=VALUE'],
      ['a partition without a sort key', ['list', '--partition', 'P'], '--partition needs'],
      ['an account that is none', ['policy', '--account', '12'], 'expected --account'],
    ];

    for (const [what, words, message] of wrong) {
      it(`ends with 2: ${what}`, async () => {
        const client = new RecordingClient();
        const { code, out, err } = await runCli(words, client, { env });

        expect([code, out]).to.deep.equal([2, '']);
        expect(err).to.match(/^mayfly-idempotency: [^\n]+\n$/);
        expect(err).to.contain(message);
        expect(client.seen).to.deep.equal([]);
      });
    }

    it('ends with 2 where no table is named', async () => {
      const { code, err } = await runCli(['list']);

      expect(code).to.equal(2);
      expect(err).to.contain('give --table or set MAYFLY_IDEMPOTENCY_TABLE');
    });
  });

  describe('a store that fails', () => {
    const failing: readonly (readonly [string, Answer, string])[] = [
      ['a missing table', sdkError('ResourceNotFoundException'), 'make it with create-table'],
      ['a denied action', sdkError('AccessDeniedException'), 'Allow dynamodb:'],
      ['missing credentials', sdkError('CredentialsProviderError'), 'there are no AWS credentials'],
      ['an unset Region', () => Promise.reject(new Error('Region is missing')), 'give --region'],
      [
        'a refused connection',
        () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })),
        'DynamoDB cannot be reached',
      ],
    ];

    for (const [what, answer, message] of failing) {
      for (const words of [['list'], ['get', 'a'], ['forget', 'a'], ['create-table']]) {
        if (what === 'a missing table' && words[0] === 'create-table') continue;
        it(`ends ${String(words[0])} with 3 and one line: ${what}`, async () => {
          const client = new RecordingClient().next(answer);
          const { code, out, err } = await runCli(words, client, { env });

          expect([code, out]).to.deep.equal([3, '']);
          expect(err).to.match(/^mayfly-idempotency: [^\n]+\n$/);
          expect(err).to.contain(message);
        });
      }
    }

    it('names the actions of the command that was denied', async () => {
      const client = new RecordingClient().next(sdkError('AccessDeniedException'));

      expect((await runCli(['list'], client, { env })).err).to.contain('Allow dynamodb:Scan on');
    });

    it('does not repeat what the service said, which may quote the request', async () => {
      const client = new RecordingClient().next(() =>
        Promise.reject(Object.assign(makeSdkError('SomeException'), { message: 'secret id' })),
      );

      expect((await runCli(['list'], client, { env })).err).not.to.contain('secret');
    });
  });

  describe('a long scan', () => {
    const page = (id: string, last = false): Answer =>
      output({
        Items: [{ id: { S: id }, status: { S: 'COMPLETED' } }],
        ScannedCount: 1000,
        ...(last ? {} : { LastEvaluatedKey: { id: { S: id } } }),
      });

    it('goes on from each page to the next', async () => {
      const client = new RecordingClient().next(page('a'), page('b'), page('c', true));
      const { out, err } = await runCli(['list'], client, { env });

      expect(out.match(/^\w+/gm)).to.deep.equal(['ID', 'a', 'b', 'c']);
      expect(err).to.equal('');
      expect(client.seen.map(({ input }) => input.ExclusiveStartKey)).to.deep.equal([
        undefined,
        { id: { S: 'a' } },
        { id: { S: 'b' } },
      ]);
    });

    it('asks for no page after the limit is passed', async () => {
      const client = new RecordingClient().next(page('a'), page('b'), page('c', true));
      await runCli(['list', '--limit', '1'], client, { env });

      expect(client.seen).to.have.length(2);
    });

    it('draws its progress over on a terminal, and wipes it', async () => {
      const client = new RecordingClient().next(page('a'), page('b', true));
      const { err } = await runCli(['list'], client, { env, errIsTty: true });

      expect(err).to.equal('\r1000 items read, 1 to show\r2000 items read, 2 to show\r\u001b[K');
    });

    it('tells a log its progress every ten pages', async () => {
      const pages = Array.from({ length: 20 }, (_, i) => page(`i${i}`, i === 19));
      const { err } = await runCli(['list'], new RecordingClient().next(...pages), { env });

      expect(err).to.equal('10000 items read, 10 to show\n20000 items read, 20 to show\n');
    });
  });

  it('prints no control character of an id', async () => {
    const item = { id: { S: '\u001b[2Jgone\u202e\n' }, status: { S: 'COMPLETED' } };
    const client = new RecordingClient().next(output({ Items: [item], ScannedCount: 1 }));
    const { out } = await runCli(['list'], client, { env });

    expect(out).to.contain('\\u001b[2Jgone\\u202e\\u000a');
    expect(out).not.to.match(/[\u001b\u202e]/);
  });
});
