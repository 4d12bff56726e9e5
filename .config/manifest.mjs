import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { entries, fileNameOf, program } from './entries.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const manifestFile = path.join(root, 'package.json');

export function readManifest() {
  return JSON.parse(readFileSync(manifestFile, 'utf8'));
}

/** Where in dist/ the files of each format are. */
export const folders = { cjs: '.', es: 'esm' };

/** Keeps what package.json says about the entries in step with entries.mjs. */
export function writeManifest(chunks) {
  const manifest = readManifest();
  const before = JSON.stringify(manifest);
  manifest.main = fileOf('.', 'cjs');
  manifest.module = fileOf('.', 'es');
  manifest.types = typesOf('.', 'cts');
  manifest.bin = { [manifest.name]: fileIn(program.name, 'cjs') };
  manifest.exports = {
    ...Object.fromEntries(
      Object.keys(entries).map((entry) => [
        entry,
        {
          import: { types: typesOf(entry, 'mts'), default: fileOf(entry, 'es') },
          require: { types: typesOf(entry, 'cts'), default: fileOf(entry, 'cjs') },
        },
      ]),
    ),
    './package.json': './package.json',
  };
  // For `moduleResolution: node10`, which does not read `exports`.
  manifest.typesVersions = {
    '*': Object.fromEntries(
      Object.keys(entries)
        .filter((entry) => entry !== '.')
        .map((entry) => [fileNameOf(entry), [typesOf(entry, 'cts')]]),
    ),
  };
  manifest.sideEffects = filesWithSideEffects(chunks).flatMap((name) =>
    Object.keys(folders).map((format) => fileIn(name, format)),
  );
  if (JSON.stringify(manifest) === before) return;
  if (process.env.CI === 'true') {
    throw new Error(
      'package.json does not match .config/entries.mjs: run `npm run build` and commit',
    );
  }
  writeFileSync(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  console.log('package.json: entries brought in step with .config/entries.mjs');
}

/**
 * The package.json beside the ES modules, which says that they are such. What lies below it is a
 * package to Node.js and to bundlers: without name and exports of its own, its files would not find
 * each other by the package's name.
 */
export function moduleManifest(chunks) {
  return {
    name: readManifest().name,
    type: 'module',
    exports: Object.fromEntries(
      Object.keys(entries).map((entry) => [entry, `./${fileNameOf(entry)}.js`]),
    ),
    sideEffects: filesWithSideEffects(chunks).map((name) => `./${name}.js`),
  };
}

/** Chunks count as such: what the core does when it is loaded is in one of them. */
function filesWithSideEffects(chunks) {
  const kept = Object.keys(entries).filter((entry) => entries[entry].sideEffects);
  return [...kept.map(fileNameOf), ...chunks];
}

function fileOf(entry, format) {
  return fileIn(fileNameOf(entry), format);
}

function fileIn(name, format) {
  return `./${path.posix.join('dist', folders[format], `${name}.js`)}`;
}

/** The declarations of an entry, as package.json names them: `cts` or `mts`. */
function typesOf(entry, extension) {
  return `./dist/types/${fileNameOf(entry)}.d.${extension}`;
}
