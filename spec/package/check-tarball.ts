import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');

/** What it takes with all entries in two formats, and little room: growth is to be a decision. */
const MAX_TARBALL_KB = 150;

/** How far back gzip finds what it has seen before. */
const GZIP_WINDOW_BYTES = 32 * 1024;

/**
 * publint holds that Node.js ignores `exports` in dist/esm/package.json. It reads them where a file
 * beside it imports the package by name (PACKAGE_SELF_RESOLVE in its documentation of ES modules), as
 * the core does: without them, the check through a link fails.
 */
const READ_FOR_SELF_REFERENCE = 'NESTED_PACKAGE_JSON_FIELD_IGNORED';

/** What compilers put in place of decorators and other syntax: none of it belongs in dist/. */
const compilerHelpers =
  /\btslib\b|__decorate|__esDecorate|__runInitializers|__metadata|__param\b|__awaiter|__importDefault|__importStar|__exportStar|__createBinding|__toESM|__commonJS|^\s*@\w+\(/m;

/** Which packages the bundles of an entry may import; all others, the core's among them, none. */
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
  const bundles = files.filter((name) => name.endsWith('.js'));

  const { size } = statSync(tarball);
  await check(`the tarball takes ${kilobytes(size)} KB of ${String(MAX_TARBALL_KB)}`, () => {
    if (size > MAX_TARBALL_KB * 1000) throw new Error('too large');
  });
  await check('it holds dist, README, CHANGELOG and LICENSE, and nothing else', () => {
    const top = readdirSync(packageDir).sort().join(' ');
    if (top !== 'CHANGELOG.md LICENSE README.md dist package.json') throw new Error(top);
  });
  await check('the bundles hold no decorator syntax and no compiler helper', () => {
    for (const file of bundles) {
      const found = compilerHelpers.exec(read(file));
      if (found !== null) throw new Error(`${file}: ${found[0]}`);
    }
  });
  await check('each bundle has a source map that leads to the TypeScript', () => {
    for (const file of bundles) {
      const { sources } = JSON.parse(read(`${file}.map`)) as { sources: string[] };
      const strange = sources.filter((source) => !/^(\.\.\/)+lib\/.+\.ts$/.test(source));
      if (sources.length === 0 || strange.length > 0)
        throw new Error(`${file}: ${strange.join(', ')}`);
    }
  });
  await check('each function of a bundle is found at its line of the TypeScript', () => {
    for (const file of bundles) checkPlaces(read(file), read(`${file}.map`), path.dirname(file));
  });
  await check('each bundle imports no package but its own', () => {
    for (const file of bundles) {
      const imports = [...read(file).matchAll(/\b(?:from|import|require\()\s*"([^"]+)"/g)].map(
        ([, id]) => id ?? '',
      );
      const allowed = packagesOf[/^\w+/.exec(path.basename(file))?.[0] ?? ''];
      const strange = imports.filter(
        (id) => !id.startsWith('.') && !id.startsWith('node:') && allowed?.test(id) !== true,
      );
      if (strange.length > 0) throw new Error(`${file}: ${strange.join(', ')}`);
    }
  });
  await check('a bundle and its other format lie where one gzip window sees both', () => {
    for (const file of bundles) {
      const size = Buffer.byteLength(read(file));
      if (size > GZIP_WINDOW_BYTES - 1024 && file !== 'dist/cli.js')
        throw new Error(`${file}: ${String(size)} bytes`);
    }
  });
  await check('publint finds nothing', async () => {
    const { publint } = await import('publint');
    const { formatMessage } = await import('publint/utils');
    const { messages, pkg } = await publint({ pkgDir: packageDir, pack: false, strict: true });
    const findings = messages.filter(({ code }) => code !== READ_FOR_SELF_REFERENCE);
    if (findings.length > 0)
      throw new Error(findings.map((message) => formatMessage(message, pkg)).join('\n'));
  });
  await check('the types resolve in every mode (attw)', async () => {
    const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
    const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    if (result.types === false) throw new Error('no types found');
    if (result.problems.length > 0) throw new Error(JSON.stringify(result.problems, null, 2));
  });
}

/** Of functions without calls in their parameters, and of classes; Lua has no brace there. */
const DECLARED_NAME =
  /(?<=\bfunction\*? )[\w$]+(?=\([^()]*\)\{)|(?<=\bclass )[\w$]+(?= extends [\w$]+\{|\{)/g;

/** A stack trace that Node.js maps back is worth something only where it maps to the right line. */
function checkPlaces(code: string, map: string, folder: string): void {
  const places = new SourceMap(JSON.parse(map) as SourceMapPayload);
  code.split('\n').forEach((line, i) => {
    for (const { 0: name, index } of line.matchAll(DECLARED_NAME)) {
      const place = places.findEntry(i, index);
      if (!('originalSource' in place)) throw new Error(`${name} is found nowhere`);
      const source = readFileSync(path.join(root, folder, place.originalSource), 'utf8');
      const original = source.split('\n')[place.originalLine] ?? '';
      // The same name in two modules of one bundle: one of them has a number.
      if (!original.includes(name.replace(/\$\d+$/, '')))
        throw new Error(`${name} is looked for in ${place.originalSource}: ${original}`);
    }
  });
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
