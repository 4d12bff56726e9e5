import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { storeActions } from '../../lib/cli/iam-policy.js';
import { dialect } from '../decorator/support.js';
import type { CodeBlock } from './markdown.js';
import { readme, readmeProgram, root, type CompiledBlock } from './readme-program.js';
import type { BlockRun, BlockToRun } from './run-blocks.js';

/**
 * What a comment `<!-- compile only: … -->` above a block may say, and why such a block cannot run
 * here. Nothing so far: every block runs.
 */
const reasonsNotToRun: Readonly<Record<string, string>> = {};

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};

describe('README.md', () => {
  let compiled: readonly CompiledBlock[];
  let runs: readonly BlockRun[];

  before(async function () {
    this.timeout(180_000); // One program and one child process for all blocks.
    compiled = readmeProgram(dialect()).compile();
    runs = await runInChild(compiled.filter(({ block }) => isRun(block)));
  });

  it('has only code blocks of kinds that are checked', () => {
    const kinds = new Set(readme.blocks.map(({ language }) => language));

    expect([...kinds]).to.have.members(['ts', 'json', 'sh']);
  });

  it('exempts a block from running only for a reason that is listed here', () => {
    const reasons = readme.blocks.flatMap((block) => reasonNotToRun(block) ?? []);

    expect(reasons).to.have.members(Object.keys(reasonsNotToRun));
  });

  it('has TypeScript that compiles under the strictest settings', () => {
    expect(compiled).to.have.length.above(10);
    expect(compiled.flatMap(({ diagnostics }) => diagnostics)).to.deep.equal([]);
  });

  it('has TypeScript that runs, and registers tests that pass', () => {
    expect(runs.map(({ line }) => line)).to.deep.equal(
      compiled.filter(({ block }) => isRun(block)).map(({ block }) => block.line),
    );
    const failures = runs.flatMap((run) =>
      run.failures.map((failure) => `README.md:${String(run.line)}: ${failure}`),
    );
    expect(failures).to.deep.equal([]);
  });

  it('prints what its comments say', () => {
    const promised = compiled.map(({ block }) => ({ line: block.line, prints: printsIn(block) }));
    const withPrints = promised.filter(({ prints }) => prints.length > 0);

    expect(withPrints).to.have.length.above(3);
    for (const { line, prints } of withPrints) {
      expect(runs.find((run) => run.line === line)?.printed, `README.md:${String(line)}`)
        .to.deep //
        .equal(prints);
    }
  });

  it('begins with a handler that places an order once and replies the same twice', () => {
    const first = runs[0]?.handler;

    const reply = { status: 'placed', order: { id: 'o-1', amount: 1 } };
    expect(first).to.deep.equal({ replies: [reply, reply], effects: ['placed o-1'] });
  });

  it('begins with an example of at most 20 lines, in the form that users write', () => {
    const [first] = readme.blocks.filter(({ language }) => language === 'ts');

    expect(first?.code.trimEnd().split('\n')).to.have.length.at.most(20);
    expect(first?.code).to.include('@Idempotent({ key: e => e.orderId, ttl: 3600,');
  });

  it('shows how to run the contract of stores', () => {
    const run = runs.find(({ tests }) => tests > 1);

    expect(run?.tests).to.be.above(30);
  });

  it('has JSON that parses', () => {
    const json = readme.blocks.filter(({ language }) => language === 'json');

    expect(json).to.have.length.above(0);
    for (const { code } of json) expect(() => JSON.parse(code) as unknown).not.to.throw();
  });

  it('allows exactly the four actions that the store sends', () => {
    const policy = readme.blocks.find(({ code }) => code.includes('"Statement"'));
    const [statement] = (JSON.parse(policy!.code) as { Statement: { Action: string[] }[] })
      .Statement;

    // Which are those that it sends: the specs of the infrastructure templates see to that.
    expect(statement!.Action).to.have.members(storeActions);
  });

  it('names npm scripts and packages that exist', () => {
    const shell = readme.blocks.filter(({ language }) => language === 'sh');
    const code = shell.map((block) => block.code).join('\n');
    const scripts = [...code.matchAll(/npm (?:run )?([\w:-]+)/gu)].map(([, name]) => name!);
    const own = scripts.filter((name) => !['ci', 'install'].includes(name));
    const packages = [...code.matchAll(/npm install (.+)/gu)].flatMap(([, list]) =>
      list!.split(' '),
    );

    expect(own).to.include.members(['demo', 'test']);
    expect(manifest.scripts).to.include.keys(own);
    const known = [manifest.name, ...Object.keys(manifest.peerDependencies)];
    expect(known).to.include.members(packages);
  });

  it('names the versions that package.json asks for', () => {
    const { engines, peerDependencies } = manifest;
    const versions = [engines.node, peerDependencies['@aws-sdk/client-dynamodb']!];

    for (const range of versions) {
      const [version] = /\d+\.\d+/u.exec(range)!;
      expect(readme.prose).to.include(`${version} or later`);
    }
  });

  it('links only to files and headings that exist', () => {
    const own = readme.links.filter((link) => !/^https?:/u.test(link));
    const broken = own.filter((link) => {
      const [path, anchor] = link.split('#');
      if (path !== '') return !existsSync(join(root, path!));
      return !readme.anchors.includes(anchor!);
    });

    expect(own).to.have.length.above(5);
    expect(broken).to.deep.equal([]);
  });
});

function reasonNotToRun(block: CodeBlock): string | undefined {
  return /^compile only: (.*)$/u.exec(block.comment ?? '')?.[1];
}

function isRun(block: CodeBlock): boolean {
  return reasonNotToRun(block) === undefined;
}

/** What a block's comments say that it prints. */
function printsIn({ code }: CodeBlock): readonly string[] {
  return [...code.matchAll(/\/\/ prints (.+)$/gmu)].map(([, text]) => text!);
}

async function runInChild(blocks: readonly CompiledBlock[]): Promise<readonly BlockRun[]> {
  const child = fork(join(__dirname, 'run-blocks.ts'), {
    cwd: root,
    execArgv: ['--require', 'ts-node/register', '--require', 'reflect-metadata'],
    // This run has type-checked everything already.
    env: {
      ...process.env,
      TS_NODE_TRANSPILE_ONLY: 'true',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    },
  });
  const exit = once(child, 'exit');
  const answer = Promise.race([
    once(child, 'message') as Promise<[readonly BlockRun[]]>,
    exit.then(([code]) => {
      throw new Error(`The process that runs the blocks ended with ${String(code)}`);
    }),
  ]);
  child.send(blocks.map<BlockToRun>(({ block, javaScript }) => ({ line: block.line, javaScript })));
  const [runs] = await answer;
  await exit;
  return runs;
}
