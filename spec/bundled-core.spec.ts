import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect } from 'chai';

const root = join(__dirname, '..');

/** What `import { Idempotent } from 'mayfly-idempotency'` may weigh in a minified bundle. */
const BUDGET_BYTES = 48_000;

describe('a bundle that uses nothing but the decorator', function () {
  this.timeout(20_000);

  it('holds what a call needs and no other entry or export', async () => {
    const { files } = await bundle("export { Idempotent } from './lib/index.ts'");

    expect(files).to.include.members(['decorator/idempotent.ts', 'execution/protected-call.ts']);
    expect(files.filter((file) => UNNEEDED.test(file))).to.deep.equal([]);
  });

  it('stays within its budget', async () => {
    const { bytes } = await bundle("export { Idempotent } from './lib/index.ts'");

    expect(bytes).to.be.below(BUDGET_BYTES);
  });

  it('holds what makes runs know of themselves where that entry is imported, too', async () => {
    const { files } = await bundle(
      "export { Idempotent } from './lib/index.ts'; import './lib/execution/index.ts'",
    );

    expect(files).to.include('execution/tracking/tracker.ts');
  });
});

const UNNEEDED = new RegExp(
  [
    '^(?:cache|cli|events|middy|testing)/',
    '^store/(?:dynamodb|redis)/',
    '^execution/(?:tracking/|run-idempotent|call-id)',
    '^configuration/(?:configure|with)-idempotency',
    '^decorator/(?:make-idempotent|idempotency-id-of|idempotent-options)',
    '^errors/commit-error',
    '^keys/key-template',
    '^results/(?:structured-codec|discard-result)',
  ].join('|'),
  'u',
);

/** The files of lib/ that leave something in the bundle, and what it weighs. */
async function bundle(
  program: string,
): Promise<{ readonly files: readonly string[]; readonly bytes: number }> {
  const { metafile } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    metafile: true,
    write: false,
    external: ['mayfly-idempotency/*'],
    // What package.json says of side effects is about the files in dist/.
    ignoreAnnotations: true,
  });
  const output: Metafile['outputs'][string] = Object.values(metafile.outputs)[0]!;
  const files = Object.entries(output.inputs)
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => file.replace(/^lib\//u, ''));
  return { files, bytes: output.bytes };
}
