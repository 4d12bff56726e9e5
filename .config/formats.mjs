/*
 * Writes a bundle as an ES module and as CommonJS. What lies between imports and exports is the same
 * text in both, on lines of its own, so that the second format adds next to nothing to the tarball.
 *
 * CommonJS reads what it imports once, when it is loaded. That is enough where chunks do not import
 * each other in circles (rollup would warn of it), and where nothing is exported that changes later.
 */
import { isBuiltin } from 'node:module';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { parseAst } from 'rollup/parseAst';

/** Tells compilers and bundlers that `import x from` means the export `default`. */
const MARKS =
  'Object.defineProperties(module.exports,{__esModule:{value:true},[Symbol.toStringTag]:{value:"Module"}});';

/** Code and mappings of an ES module in each format; shebang and preamble are for CommonJS. */
export function inBothFormats({ code, mappings, isEntry, shebang, preamble = '' }) {
  const { imports, exports, start, end, unseenImports } = partsOf(code);
  const body = code.slice(start, end);
  const places = placesFrom(start, code, decode(mappings));
  const edits = unseenImports
    .flatMap(requireInstead)
    .map((edit) => ({ ...edit, at: edit.at - start }));
  return {
    es: {
      code: [imports.map(importOf).join(''), body, exportsOf(exports)].join('\n'),
      mappings: encode([[], ...places]),
    },
    cjs: {
      code: [
        ...(shebang === undefined ? [] : [shebang]),
        `"use strict";${preamble}${imports.map(requireOf).join('')}`,
        edited(body, edits),
        moduleExportsOf(exports, isEntry),
      ].join('\n'),
      mappings: encode([...(shebang === undefined ? [] : [[]]), [], ...moved(places, body, edits)]),
    },
  };
}

/** What a bundle imports and exports, and where what lies between begins and ends. */
function partsOf(code) {
  const imports = new Map();
  const exports = [];
  const body = [];
  for (const node of parseAst(code).body) {
    if (node.type === 'ImportDeclaration') {
      if (body.length > 0) throw new Error('an import below the body');
      namesFrom(node, imports).push(...node.specifiers.map(importedName));
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      const names = node.specifiers.map(({ local, exported }) => [local.name, exported.name]);
      exports.push(...names);
      if (node.source !== null)
        namesFrom(node, imports).push(...names.map(([name]) => [name, name]));
    } else {
      if (/^(?:Import|Export)\w+Declaration$/.test(node.type)) throw new Error(node.type);
      body.push(node);
    }
  }
  rejectVariables(body, new Set(exports.map(([local]) => local)));
  const start = body[0]?.start ?? code.length;
  const unseenImports = body.flatMap(unseenImportsIn);
  return { imports: [...imports], exports, start, end: body.at(-1)?.end ?? start, unseenImports };
}

function namesFrom({ source: { value: source } }, imports) {
  if (!imports.has(source)) imports.set(source, []);
  return imports.get(source);
}

/** [the other file's name, the name here] */
function importedName({ type, imported, local }) {
  if (type === 'ImportNamespaceSpecifier') throw new Error('a namespace import');
  return [type === 'ImportDefaultSpecifier' ? 'default' : imported.name, local.name];
}

function rejectVariables(body, exported) {
  for (const { type, kind, declarations } of body) {
    if (type !== 'VariableDeclaration' || kind === 'const') continue;
    const variable = declarations.find(({ id }) => exported.has(id.name));
    if (variable) throw new Error(`${variable.id.name} is exported, and may change`);
  }
}

function importOf([source, names]) {
  const from = JSON.stringify(source);
  if (names.length === 0) return `import${from};`;
  return `import${listOf(names, ' as ')}from${from};`;
}

function requireOf([source, names]) {
  const required = `require(${JSON.stringify(source)})`;
  if (names.length === 0) return `${required};`;
  const [[imported, local]] = names;
  if (imported !== 'default') return `const${listOf(names, ':')}=${required};`;
  // A module of Node.js is its own default export.
  if (names.length > 1 || !isBuiltin(source)) throw new Error(`the default export of ${source}`);
  return `const ${local}=${required};`;
}

function exportsOf(names) {
  return names.length === 0 ? '' : `export${listOf(names, ' as ')};`;
}

function moduleExportsOf(names, isEntry) {
  const swapped = names.map(([local, exported]) => [exported, local]);
  if (names.length === 0) return '';
  return `module.exports=${listOf(swapped, ':')};${isEntry ? MARKS : ''}`;
}

function listOf(names, as) {
  const unique = new Set(names.map(([a, b]) => (a === b ? a : `${a}${as}${b}`)));
  return `{${[...unique].sort().join()}}`;
}

/**
 * An `import()` whose specifier is computed is one that bundlers are not meant to follow: the core
 * loads `mayfly-idempotency/dynamodb` by it.
 */
function unseenImportsIn(node) {
  if (node === null || typeof node !== 'object') return [];
  const inside = Object.values(node).flatMap(unseenImportsIn);
  return node.type === 'ImportExpression' ? [node, ...inside] : inside;
}

/**
 * In CommonJS it becomes a `require` (a turn later, when all modules that load each other are ready),
 * so that the classes it brings are those of the same format.
 */
function requireInstead({ start, end }) {
  const removed = 'import('.length;
  return [
    { at: start, removed, inserted: 'Promise.resolve().then(()=>require(' },
    { at: end, removed: 0, inserted: ')' },
  ];
}

function edited(body, edits) {
  return edits.reduceRight(
    (code, { at, removed, inserted }) => code.slice(0, at) + inserted + code.slice(at + removed),
    body,
  );
}

/** The mappings of what comes after `start`, as if the code began there. */
function placesFrom(start, code, lines) {
  const above = code.slice(0, start).split('\n');
  const [first = [], ...others] = lines.slice(above.length - 1);
  const left = above.at(-1).length;
  const onFirst = first
    .filter(([column]) => column >= left)
    .map(([column, ...source]) => [column - left, ...source]);
  return [onFirst, ...others];
}

/** The mappings of a body after the edits to it. */
function moved(places, body, edits) {
  let lineStart = 0;
  return body.split('\n').map((line, i) => {
    const from = lineStart;
    lineStart += line.length + 1;
    const onLine = edits.filter(({ at }) => at >= from && at < lineStart);
    return (places[i] ?? []).map(([column, ...source]) => {
      const shift = onLine
        .filter(({ at }) => at - from < column)
        .reduce((sum, { removed, inserted }) => sum + inserted.length - removed, 0);
      return [column + shift, ...source];
    });
  });
}
