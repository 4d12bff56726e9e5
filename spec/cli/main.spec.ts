import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineBench } from '../store/dynamodb/engine-bench.js';
import { startDynalite } from '../support/engines/dynalite.js';
import type { Ending } from './cli-bench.js';

const root = join(__dirname, '..', '..');
const main = join(root, 'lib', 'cli', 'main.ts');

describe('the program', function () {
  this.timeout(180_000); // Each run compiles the program.
  const bench = new EngineBench().runs(startDynalite);

  /** As npx would, with the standard variables; types are checked by the other specs. */
  const program = (...args: string[]): Promise<Ending> =>
    new Promise((resolve) => {
      const env = {
        PATH: process.env['PATH'],
        NODE_NO_WARNINGS: '1', // The SDK announces the end of this Node version.
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_REGION: 'eu-central-1',
        AWS_ENDPOINT_URL_DYNAMODB: bench.running.engine.endpoint,
        MAYFLY_IDEMPOTENCY_TABLE: bench.table,
      };
      const words = ['-r', 'ts-node/register/transpile-only', main, ...args];
      execFile(process.execPath, words, { cwd: root, env }, (error, out, err) => {
        resolve({ code: Number(error?.code ?? 0), out, err });
      });
    });

  it('finds a stuck key by the standard variables and frees it', async () => {
    await bench.put({ id: 'a#1', status: 'INPROGRESS', in_progress_until: 1, expires_at: 2 });

    const listed = await program('list', '--expired');
    const forgotten = await program('forget', 'a#1');

    expect(listed.code).to.equal(0);
    expect(listed.out).to.match(/^a#1 {2}abandoned \d+ days ago$/m);
    expect(forgotten).to.deep.equal({ code: 0, out: 'a#1: forgotten\n', err: '' });
  });

  it('ends with 1, 2 and 3 for a missing record, a wrong command line, a missing table', async () => {
    const nobody = await program('get', 'nobody');
    const wrong = await program('list', '--nonsense');
    const missing = await program('list', '--table', 'nowhere');

    expect(nobody).to.deep.equal({ code: 1, out: '', err: 'There is no record nobody\n' });
    expect(wrong.code).to.equal(2);
    expect(missing.code).to.equal(3);
    expect(missing.err).to.equal(
      'mayfly-idempotency: the table does not exist. Correct --table, --region or --endpoint, or make it with create-table\n',
    );
  });
});
