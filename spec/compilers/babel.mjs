/*
 * Compiles the fixture with Babel: `node babel.mjs JOBS`, where JOBS is a JSON array of
 * { packages, plugins, source, target, files }. Apart from the rest since Babel 8 needs a later
 * Node.js than the package does, and is an ES module.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

for (const { packages, plugins, source, target, files } of JSON.parse(process.argv[2])) {
  const { resolve } = createRequire(path.join(packages, 'package.json'));
  const babel = await import(pathToFileURL(resolve('@babel/core')).href);
  for (const file of files) {
    const result = await babel.transformFileAsync(path.join(source, file), {
      configFile: false,
      babelrc: false,
      presets: [resolve('@babel/preset-typescript')],
      plugins: plugins.map(([name, options]) => [resolve(name), options]),
    });
    const output = path.join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(path.dirname(output), { recursive: true });
    writeFileSync(output, result.code);
  }
}
