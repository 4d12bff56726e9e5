import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** What it takes with all entries in two formats, and little room: growth is to be a decision. */
const MAX_TARBALL_BYTES = 240 * 1024;

/** What compilers put in place of decorators and other syntax: none of it belongs in dist/. */
const compilerHelpers =
  /\btslib\b|__decorate|__esDecorate|__runInitializers|__metadata|__param\b|__awaiter|__importDefault|__importStar|__exportStar|__createBinding|__toESM|__commonJS|^\s*@\w+\(/m;

/** Which packages a bundle may import; all others, the core's among them, none. */
const packagesOf: Readonly<Record<string, RegExp>> = {
  cache: /^lru-cache$/,
  cli: /^@aws-sdk\//,
  dynamodb: /^@aws-sdk\//,
};

export type Check = (name: string, run: () => void | Promise<void>) => Promise<void>;

/** Looks at the tarball itself: its size, what is in it, and whether its entries resolve. */
export async function checkTarball(tarball: string, check: Check): Promise<void> {
  const unpacked = path.join(path.dirname(tarball), 'unpacked');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', tarball, '-C', unpacked]);
  const packageDir = path.join(unpacked, 'package');
  const files = readdirSync(packageDir, { recursive: true, encoding: 'utf8' });
  const read = (file: string) => readFileSync(path.join(packageDir, file), 'utf8');

  const { size } = statSync(tarball);
  await check(`the tarball takes ${String(Math.ceil(size / 1024))} KB of 240`, () => {
    if (size > MAX_TARBALL_BYTES) throw new Error('too large');
  });
  await check('it holds dist, README, CHANGELOG and LICENSE, and nothing else', () => {
    const top = readdirSync(packageDir).sort().join(' ');
    if (top !== 'CHANGELOG.md LICENSE README.md dist package.json') throw new Error(top);
  });
  await check('the bundles hold no decorator syntax and no compiler helper', () => {
    for (const file of files.filter((name) => /\.[mc]js$/.test(name))) {
      const found = compilerHelpers.exec(read(file));
      if (found !== null) throw new Error(`${file}: ${found[0]}`);
    }
  });
  await check('each bundle has a source map that leads to the TypeScript', () => {
    for (const file of files.filter((name) => /\.[mc]js$/.test(name))) {
      const { sources } = JSON.parse(read(`${file}.map`)) as { sources: string[] };
      const strange = sources.filter((source) => !/^(\.\.\/)+lib\/.+\.ts$/.test(source));
      if (sources.length === 0 || strange.length > 0)
        throw new Error(`${file}: ${strange.join(', ')}`);
    }
  });
  await check('each bundle imports no package but its own', () => {
    for (const file of files.filter((name) => /\.[mc]js$/.test(name))) {
      const imports = [...read(file).matchAll(/\b(?:from|import|require\()\s*"([^"]+)"/g)].map(
        ([, id]) => id ?? '',
      );
      const allowed = packagesOf[path.basename(file).replace(/\.[mc]js$/, '')];
      const strange = imports.filter(
        (id) => !id.startsWith('.') && !id.startsWith('node:') && allowed?.test(id) !== true,
      );
      if (strange.length > 0) throw new Error(`${file}: ${strange.join(', ')}`);
    }
  });
  await check('publint finds nothing', async () => {
    const { publint } = await import('publint');
    const { formatMessage } = await import('publint/utils');
    const { messages, pkg } = await publint({ pkgDir: packageDir, pack: false, strict: true });
    if (messages.length > 0)
      throw new Error(messages.map((message) => formatMessage(message, pkg)).join('\n'));
  });
  await check('the types resolve in every mode (attw)', async () => {
    const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
    const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (result.types === false) throw new Error('no types found');
    if (result.problems.length > 0) throw new Error(JSON.stringify(result.problems, null, 2));
  });
}
