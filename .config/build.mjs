/*
 * Builds dist/: one bundled file per entry with shared chunks, as an ES module (.mjs) and as CommonJS
 * (.cjs), with types for both.
 *
 * One bundle per format for all entries together, so that a class is the same class in each of them.
 * File extensions rather than folders with a package.json of their own: such a stub would end the
 * package's scope, and with it the package's own name as an import specifier.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { entries, fileNameOf, program } from './entries.mjs';
import { readManifest, root, typesOf, writeManifest } from './manifest.mjs';

const compiled = path.join(root, '.build');
const dist = path.join(root, 'dist');
const formats = [
  { format: 'es', extension: 'mjs' },
  { format: 'cjs', extension: 'cjs' },
];

const relativeSpecifier =
  /(\bfrom ['"]|\bimport\(['"]|\bimport ['"])(\.{1,2}\/[^'"]+)\.js(?=['"])/g;

rmSync(compiled, { recursive: true, force: true });
compile();
rmSync(dist, { recursive: true, force: true });
await bundle();
await bundleProgram();
writeTypes();
writeManifest(formats);

function compile() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = path.join(root, '.config', 'tsconfig.build.json');
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

async function bundle() {
  const build = await rollup({
    input: Object.fromEntries(
      Object.entries(entries).map(([entry, { source }]) => [
        fileNameOf(entry),
        outputOf(source, '.js'),
      ]),
    ),
    external: isExternal,
    plugins: [
      readCompiledSources(),
      keepUnseenImportsInTheirFormat(),
      dropComments(),
      shortenSourceMaps(),
    ],
    onwarn(warning) {
      throw new Error(`${warning.code ?? 'Warning'}: ${warning.message}`);
    },
  });
  for (const { format, extension } of formats) {
    const { output } = await build.write({
      dir: dist,
      format,
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name].${extension}`,
      manualChunks: sharedByEntries,
      onlyExplicitManualChunks: true,
      exports: 'named',
      esModule: true,
      generatedCode: 'es2015',
      hoistTransitiveImports: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
    });
    for (const { fileName, code } of output) {
      if (code !== undefined)
        console.log(`dist/${fileName}: ${String(Buffer.byteLength(code))} bytes`);
    }
  }
  await build.close();
}

/**
 * The command line, as one CommonJS file of its own: as one more entry it would move what it shares
 * with the DynamoDB store, and with it the AWS SDK, into the chunk that the core loads.
 */
async function bundleProgram() {
  const build = await rollup({
    input: outputOf(program.source, '.js'),
    external: isExternal,
    plugins: [readCompiledSources(), dropComments(), shortenSourceMaps()],
    onwarn(warning) {
      throw new Error(`${warning.code ?? 'Warning'}: ${warning.message}`);
    },
  });
  const file = path.join(dist, program.file);
  const { output } = await build.write({
    file,
    format: 'cjs',
    banner: '#!/usr/bin/env node',
    generatedCode: 'es2015',
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  chmodSync(file, 0o755);
  console.log(`dist/${program.file}: ${String(Buffer.byteLength(output[0].code))} bytes`);
}

/**
 * Modules that more than one entry needs go into one chunk: what a program starts with is then two
 * files per entry at most, however many entries there are.
 */
function sharedByEntries(id, { getModuleIds, getModuleInfo }) {
  const reaching = [...getModuleIds()].filter((entry) => {
    if (!getModuleInfo(entry).isEntry) return false;
    const reached = new Set();
    const queue = [entry];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      queue.push(...getModuleInfo(next).importedIds);
    }
    return reached.has(id);
  });
  return reaching.length > 1 ? 'shared' : null;
}

/** Hands rollup the compiler's source maps, so that the bundles' maps lead to the TypeScript. */
function readCompiledSources() {
  return {
    name: 'read-compiled-sources',
    load(id) {
      const code = readFileSync(id, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
      return { code, map: JSON.parse(readFileSync(`${id}.map`, 'utf8')) };
    },
  };
}

/**
 * An `import()` whose specifier is computed is one that bundlers are not meant to follow: the core
 * loads `mayfly-idempotency/dynamodb` by it. In CommonJS it becomes a `require` (a turn later, when
 * all modules that load each other are ready), so that the classes it brings are those of the same
 * format.
 */
function keepUnseenImportsInTheirFormat() {
  return {
    name: 'keep-unseen-imports-in-their-format',
    renderDynamicImport({ format, targetModuleId }) {
      if (format !== 'cjs' || targetModuleId !== null) return null;
      return { left: 'Promise.resolve().then(() => require(', right: '))' };
    },
  };
}

/**
 * Everything that is not ours stays outside. A package that is neither a dependency nor a peer is one
 * that users would not have.
 */
function isExternal(id) {
  if (id.startsWith('.') || path.isAbsolute(id)) return false;
  const name = id.split('/', id.startsWith('@') ? 2 : 1).join('/');
  const { dependencies = {}, peerDependencies = {} } = readManifest();
  if (isBuiltin(id) || name in dependencies || name in peerDependencies) return true;
  throw new Error(`${id} is imported but is no dependency or peer dependency`);
}

/**
 * The bundles carry no comments: the documentation is in the types, and the maps lead to the sources.
 * Annotations for bundlers (`@__PURE__`, `webpackIgnore`) stay.
 */
function dropComments() {
  return {
    name: 'drop-comments',
    async renderChunk(code, { fileName }) {
      const result = await transform(code, {
        target: 'es2022',
        legalComments: 'none',
        // Names stay: a stack trace in somebody's log is read without the maps.
        minifyWhitespace: true,
        minifySyntax: true,
        sourcemap: true,
        sourcefile: fileName,
      });
      return { code: result.code, map: result.map };
    },
  };
}

/**
 * Keeps the maps to lines: a stack trace names the right file and line, at a fifth of the bytes that
 * columns would take.
 */
function shortenSourceMaps() {
  return {
    name: 'shorten-source-maps',
    generateBundle(_options, files) {
      for (const file of Object.values(files)) {
        if (!file.fileName.endsWith('.map')) continue;
        const map = JSON.parse(file.source);
        const mappings = encode(decode(map.mappings).map(changesOfLine));
        file.source = JSON.stringify({ ...map, names: [], mappings });
      }
    },
  };
}

/** The segments of one generated line at which another line of a source begins. */
function changesOfLine(segments) {
  const place = ([, source, line]) => `${String(source)}:${String(line)}`;
  return segments
    .filter((segment, i) => i === 0 || place(segment) !== place(segments[i - 1]))
    .map((segment) => segment.slice(0, 4));
}

/**
 * The declarations are there once, as those of the CommonJS files; the ES module's entries pass them
 * on. So a program that meets both formats sees one type of each class, not two that do not fit.
 */
function writeTypes() {
  for (const file of declarationsInUse()) {
    const source = readFileSync(path.join(compiled, file), 'utf8');
    write(path.join('types', cts(file)), source.replaceAll(relativeSpecifier, '$1$2.cjs'));
  }
  for (const { source } of Object.values(entries)) {
    const name = path.basename(source, '.ts');
    write(typesOf(source, 'mjs').slice('./dist/'.length), `export * from './${name}.cjs';\n`);
  }
}

function write(file, content) {
  const target = path.join(dist, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}

function cts(file) {
  return file.replace(/\.d\.ts$/, '.d.cts');
}

/** The declarations that users can reach from an entry; the others would be dead weight. */
function declarationsInUse() {
  const found = new Set();
  const queue = Object.values(entries).map(({ source }) =>
    path.relative(compiled, outputOf(source, '.d.ts')),
  );
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    const source = readFileSync(path.join(compiled, file), 'utf8');
    for (const [, , specifier] of source.matchAll(relativeSpecifier)) {
      queue.push(path.join(path.dirname(file), `${specifier}.d.ts`));
    }
  }
  return [...found].sort();
}

/** lib/x/y.ts is compiled to .build/x/y.js. */
function outputOf(source, extension) {
  return path.join(compiled, path.relative('lib', source).replace(/\.ts$/, extension));
}
