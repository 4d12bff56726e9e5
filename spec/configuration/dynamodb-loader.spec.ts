import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { build } from 'esbuild';
import { root, runChild, type ChildOutcome } from './child.js';

/** Stands for the entry `mayfly-idempotency/dynamodb`: registers stores that claim every key. */
const ENTRY = `
  globalThis.loads = (globalThis.loads ?? 0) + 1;
  const state = globalThis[Symbol.for('mayfly-idempotency.state.v1')];
  state.openDynamoDBStore ??= (table) => {
    (globalThis.tables ??= []).push(table);
    const nothing = async () => undefined;
    return {
      claim: async (claim) => ({ claimed: true, claim }),
      renew: nothing, complete: nothing, release: nothing, get: nothing, forget: nothing,
    };
  };
`;

describe('the loader of the DynamoDB store', function () {
  this.timeout(30_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-loader-'));
    await build({
      absWorkingDir: root,
      entryPoints: ['lib/index.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile: join(folder, 'core.cjs'),
    });
  });

  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program beside the bundle of the core. */
  const run = (
    program: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ChildOutcome> => runChild(program, { cwd: folder, requires: [], env });

  const callOn = (options: string): string => `
    const { runIdempotent } = require('./core.cjs');
    let runs = 0;
    runIdempotent('o1', () => { runs += 1; }, ${options}).catch(({ name, message, cause }) => {
      console.log(JSON.stringify({ runs, name, message, cause: cause.code }));
    });
  `;

  describe('where the entry is not there', () => {
    const failure = (where: string): object => ({
      runs: 0,
      name: 'TypeError',
      message: `The DynamoDB store is not loaded (${where}); add \`import 'mayfly-idempotency/dynamodb'\` to your code, and install @aws-sdk/client-dynamodb`,
      cause: 'ERR_MODULE_NOT_FOUND',
    });

    it('says what to add to a call on a `table`, which does not run', async () => {
      const child = await run(callOn("{ table: 'orders', namespace: 'charge' }"));

      const output = failure('runIdempotent(charge)');
      expect(child).to.deep.equal({ status: 0, output, stderr: '' });
    });

    it('says it to a call on the table of the environment', async () => {
      const child = await run(callOn('{}'), { MAYFLY_IDEMPOTENCY_TABLE: 'orders' });

      expect(child).to.deep.equal({ status: 0, output: failure('runIdempotent'), stderr: '' });
    });

    it('leaves the process alone when it fails to load in advance', async () => {
      const program = "require('./core.cjs'); process.on('exit', (code) => console.log(code));";
      const child = await run(program, { MAYFLY_IDEMPOTENCY_TABLE: 'orders' });

      expect(child).to.deep.equal({ status: 0, output: 0, stderr: '' });
    });
  });

  describe('where the entry is there', () => {
    before(async () => {
      const home = join(folder, 'node_modules/mayfly-idempotency');
      await mkdir(home, { recursive: true });
      const manifest = { name: 'mayfly-idempotency', exports: { './dynamodb': './dynamodb.cjs' } };
      await writeFile(join(home, 'package.json'), JSON.stringify(manifest));
      await writeFile(join(home, 'dynamodb.cjs'), ENTRY);
    });

    const report =
      'console.log(JSON.stringify({ loads: globalThis.loads ?? 0, tables: globalThis.tables ?? [] }));';

    it('loads it at import time where the environment names a table', async () => {
      const program = `require('./core.cjs'); process.on('exit', () => { ${report} });`;
      const child = await run(program, { MAYFLY_IDEMPOTENCY_TABLE: 'orders' });

      expect(child).to.deep.equal({ status: 0, output: { loads: 1, tables: [] }, stderr: '' });
    });

    for (const env of [{}, { MAYFLY_IDEMPOTENCY_TABLE: '' }]) {
      it(`loads nothing at import time with the environment ${JSON.stringify(env)}`, async () => {
        const program = `require('./core.cjs'); process.on('exit', () => { ${report} });`;
        const child = await run(program, env);

        expect(child.output).to.deep.equal({ loads: 0, tables: [] });
      });
    }

    it('loads nothing where the program imports the entry, or a bundle of it, itself', async () => {
      const program = `
        require('./core.cjs');
        globalThis[Symbol.for('mayfly-idempotency.state.v1')].openDynamoDBStore = () => {};
        process.on('exit', () => { ${report} });
      `;
      const child = await run(program, { MAYFLY_IDEMPOTENCY_TABLE: 'orders' });

      expect(child.output).to.deep.equal({ loads: 0, tables: [] });
    });

    // F87
    it('loads it once, at the first call on a table that came after the import', async () => {
      const program = `
        const { runIdempotent } = require('./core.cjs');
        (async () => {
          process.env.MAYFLY_IDEMPOTENCY_TABLE = 'late';
          await Promise.all([runIdempotent('o1', () => 1), runIdempotent('o2', () => 2)]);
          await runIdempotent('o3', () => 3, { table: 'named' });
          ${report}
        })();
      `;
      const child = await run(program);

      const output = { loads: 1, tables: ['late', 'late', 'named'] };
      expect(child).to.deep.equal({ status: 0, output, stderr: '' });
    });
  });
});
