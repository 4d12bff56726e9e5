/*
 * Compiles the fixture with Babel: `node babel.mjs JOB`, where JOB is the JSON of { packages, plugins,
 * typescript, source, target, files }. A process of its own, since Babel 8 needs a later Node.js than
 * the package does.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const { packages, plugins, typescript, source, target, files } = JSON.parse(process.argv[2]);
const { resolve } = createRequire(path.join(packages, 'package.json'));
const { transformFileAsync } = await import(pathToFileURL(resolve('@babel/core')).href);

for (const file of files) {
  const { code } = await transformFileAsync(path.join(source, file), {
    configFile: false,
    babelrc: false,
    presets: [[resolve('@babel/preset-typescript'), typescript]],
    plugins: plugins.map(([name, ...options]) => [resolve(name), ...options]),
  });
  const output = path.join(target, file.replace(/\.ts$/, '.js'));
  mkdirSync(path.dirname(output), { recursive: true });
  writeFileSync(output, code);
}
