import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { entries, fileNameOf } from './entries.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const manifestFile = path.join(root, 'package.json');

export function readManifest() {
  return JSON.parse(readFileSync(manifestFile, 'utf8'));
}

/** Keeps what package.json says about the entries in step with entries.mjs. */
export function writeManifest(formats) {
  const manifest = readManifest();
  const before = JSON.stringify(manifest);
  manifest.exports = {
    ...Object.fromEntries(
      Object.entries(entries).map(([entry, { source }]) => [
        entry,
        { import: targets(entry, source, 'mjs'), require: targets(entry, source, 'cjs') },
      ]),
    ),
    './package.json': './package.json',
  };
  // For `moduleResolution: node10`, which does not read `exports`.
  manifest.typesVersions = {
    '*': Object.fromEntries(
      Object.entries(entries)
        .filter(([entry]) => entry !== '.')
        .map(([entry, { source }]) => [fileNameOf(entry), [typesOf(source, 'cjs')]]),
    ),
  };
  const kept = Object.keys(entries).filter((entry) => entries[entry].sideEffects);
  manifest.sideEffects = [...kept.map(fileNameOf), 'shared'].flatMap((name) =>
    formats.map(({ extension }) => `./dist/${name}.${extension}`),
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

function targets(entry, source, extension) {
  return { types: typesOf(source, extension), default: `./dist/${fileNameOf(entry)}.${extension}` };
}

/** The declarations of an entry, as package.json names them. */
export function typesOf(source, extension) {
  const declaration = `.d.${extension.replace('js', 'ts')}`;
  return `./dist/types/${path.relative('lib', source).replace(/\.ts$/, declaration)}`;
}
