/*
 * Each entry as an ES module and as CommonJS: both have the same names, and a `require` is marked as
 * what compilers take for an ES module.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const manifest = JSON.parse(
  readFileSync(require.resolve('mayfly-idempotency/package.json'), 'utf8'),
);
const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
assert.equal(entries.length, 8);

for (const entry of entries) {
  const name = entry.replace('.', 'mayfly-idempotency');
  const commonJS = require(name);
  const names = Object.keys(commonJS).sort();
  assert.ok(names.length > 0, name);
  assert.deepEqual(names, Object.keys(await import(name)).sort(), name);
  assert.equal(commonJS.__esModule, true, name);
  // By name, as an ES module imports what is CommonJS: Node.js reads the names off the text.
  const seen = await import(require.resolve(name));
  assert.deepEqual(
    names.filter((one) => !(one in seen)),
    [],
    name,
  );
}
