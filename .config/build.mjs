/*
 * Builds dist/: one bundled file per entry with shared chunks, as CommonJS and, in dist/esm/, as ES
 * modules, with types for both.
 *
 * One bundle per format for all entries together, so that a class is the same class in each of them.
 * The two formats of a file have the same name, each in a folder of its own: npm packs by name, so
 * that they lie side by side in the tarball, and the second of them takes next to nothing.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { rollup } from 'rollup';
import { parseAst } from 'rollup/parseAst';
import { minify } from 'terser';
import { planChunks } from './chunks.mjs';
import { rollUp } from './declarations.mjs';
import { entries, fileNameOf, program } from './entries.mjs';
import { inBothFormats } from './formats.mjs';
import { folders, moduleManifest, readManifest, root, writeManifest } from './manifest.mjs';

/** A letter, so that a name can begin with it. */
const PLAIN = 'µ';

const compiled = path.join(root, '.build');
const dist = path.join(root, 'dist');

rmSync(compiled, { recursive: true, force: true });
compile();
rmSync(dist, { recursive: true, force: true });
const chunks = await bundle();
writeTypes();
write(
  path.join(folders.es, 'package.json'),
  `${JSON.stringify(moduleManifest(chunks), null, 2)}\n`,
);
writeManifest(chunks);

function compile() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = path.join(root, '.config', 'tsconfig.build.json');
  const { status } = spawnSync(process.execPath, [tsc, '-p', project], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** Returns the names of the chunks that entries share. */
async function bundle() {
  const input = {
    ...Object.fromEntries(
      Object.entries(entries).map(([entry, { source }]) => [
        fileNameOf(entry),
        outputOf(source, '.js'),
      ]),
    ),
    [program.name]: outputOf(program.source, '.js'),
  };
  const plan = planChunks(input);
  const build = await rollup({
    input,
    external: isExternal,
    plugins: [readCompiledSources(), plan.plugin, shortenCode()],
    onwarn(warning) {
      throw new Error(`${warning.code ?? 'Warning'}: ${warning.message}`);
    },
  });
  const { output } = await build.generate({
    dir: dist,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    manualChunks: plan.chunkOf,
    onlyExplicitManualChunks: true,
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  for (const chunk of output.filter(({ type }) => type === 'chunk')) writeChunk(chunk);
  chmodSync(path.join(dist, folders.cjs, `${program.name}.js`), 0o755);
  return plan.chunkNames();
}

function writeChunk({ name, code, map, isEntry }) {
  const isProgram = name === program.name;
  const formats = inBothFormats({
    code,
    mappings: linesOnly(map.mappings),
    isEntry: isEntry && !isProgram,
    ...(isProgram && { shebang: '#!/usr/bin/env node', preamble: withoutPackage(program.needs) }),
  });
  for (const [format, { code, mappings }] of Object.entries(formats)) {
    // As an ES module, the command line would be there to no end.
    if (isProgram && format === 'es') continue;
    const file = path.join(folders[format], `${name}.js`);
    write(file, `${code}\n//# sourceMappingURL=${name}.js.map\n`);
    const sources = map.sources.map((source) =>
      path.posix.relative(folders[format], path.posix.normalize(source)),
    );
    write(
      `${file}.map`,
      JSON.stringify({ version: 3, file: `${name}.js`, names: [], sources, mappings }),
    );
    console.log(`dist/${file}: ${String(Buffer.byteLength(code))} bytes`);
  }
}

/** Says in one sentence what is missing, before the first `require` says it in a stack trace. */
function withoutPackage(name) {
  const message = `The command line needs ${name}: install it beside mayfly-idempotency`;
  return `try{require.resolve("${name}")}catch{console.error("${message}");process.exit(1)}`;
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
 * Annotations for bundlers stay, and so do the names of functions and classes: a stack trace in
 * somebody's log is read without the maps.
 */
function shortenCode() {
  return {
    name: 'shorten-code',
    async renderChunk(code, { fileName }) {
      const { code: short, map } = await minify(
        { [fileName]: withPlainMembers(code) },
        {
          ecma: 2020,
          compress: { passes: 2, keep_fnames: true, keep_classnames: true },
          mangle: { keep_fnames: true, keep_classnames: true },
          format: { comments: /webpackIgnore|@vite-ignore/, preserve_annotations: true },
          sourceMap: { filename: fileName },
        },
      );
      return { code: short.replaceAll(PLAIN, '#'), map: JSON.parse(map) };
    },
  };
}

/**
 * terser shortens the names of private members, come what may; those of methods are on stack traces.
 * So it sees members that are not private, by names of the same length.
 */
function withPlainMembers(code) {
  if (code.includes(PLAIN)) throw new Error(`${PLAIN} is taken`);
  const result = code.split('');
  for (const start of privateNamesIn(parseAst(code))) result[start] = PLAIN;
  return result.join('');
}

function privateNamesIn(node) {
  if (node === null || typeof node !== 'object') return [];
  if (node.type === 'PrivateIdentifier') return [node.start];
  return Object.values(node).flatMap(privateNamesIn);
}

/**
 * Keeps mappings to lines: a stack trace names the right file and line, at a fifth of the bytes that
 * columns would take.
 */
function linesOnly(mappings) {
  return encode(decode(mappings).map(changesOfLine));
}

/** The segments of one generated line at which another line of a source begins. */
function changesOfLine(segments) {
  const place = ([, source, line]) => `${String(source)}:${String(line)}`;
  return segments
    .filter((segment, i) => i === 0 || place(segment) !== place(segments[i - 1]))
    .map(([column, source, line]) => [column, source, line, 0]);
}

/**
 * The declarations are there once, as those of the CommonJS files; the ES module's entries pass them
 * on. So a program that meets both formats sees one type of each class, not two that do not fit.
 */
function writeTypes() {
  const files = Object.fromEntries(
    Object.entries(entries).map(([entry, { source }]) => [
      fileNameOf(entry),
      outputOf(source, '.d.ts'),
    ]),
  );
  for (const [name, text] of rollUp(files)) write(path.join('types', `${name}.d.cts`), text);
  for (const name of Object.keys(files)) {
    write(path.join('types', `${name}.d.mts`), `export * from './${name}.cjs';\n`);
  }
}

function write(file, content) {
  const target = path.join(dist, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
}

/** lib/x/y.ts is compiled to .build/x/y.js. */
function outputOf(source, extension) {
  return path.join(compiled, path.relative('lib', source).replace(/\.ts$/, extension));
}
