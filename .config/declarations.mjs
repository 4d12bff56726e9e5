/*
 * Rolls the compiler's declarations up into one file per entry, and one for what several entries
 * share: only what users can reach, and no doc comment on what they cannot name.
 *
 * Imports and exports have to keep the names; what ends up in one file has to differ by name.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const SHARED = 'shared';

/** The text of each declaration file by its name, from the `.d.ts` file of each entry by its name. */
export function rollUp(entryFiles) {
  const files = readAll(Object.values(entryFiles));
  const publicOf = new Map(
    Object.entries(entryFiles).map(([entry, file]) => [
      entry,
      [...exportsOf(file, files).values()],
    ]),
  );
  const homes = homesOf(publicOf, files);
  return new Map(
    [...Object.keys(entryFiles), SHARED].map((home) => [
      home,
      textOfFile(home, {
        comment: files.get(entryFiles[home])?.comment,
        own: [...homes.keys()].filter((declaration) => homes.get(declaration) === home),
        isShared: (declaration) => home !== SHARED && homes.get(declaration) === SHARED,
        exported: publicOf.get(home) ?? [],
        isPublic: new Set([...publicOf.values()].flat()),
        files,
      }),
    ]),
  );
}

function textOfFile(home, { comment, own, isShared, exported, isPublic, files }) {
  const names = own.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new Error(`two declarations of ${twice} in ${home}`);
  const used = new Set(own.flatMap((declaration) => referencesOf(declaration, files)));
  const texts = own.flatMap((declaration) => {
    const isExported = home === SHARED ? declaration.isExported : exported.includes(declaration);
    const withComment = isPublic.has(declaration);
    return declaration.statements.map((node) => textOf(node, { isExported, withComment }));
  });
  const parts = [
    comment,
    ...externalImports(used, home),
    listOf('import type', [...used].filter(isShared)),
    ...texts,
    listOf('export', exported.filter(isShared)),
    // Without it, all that a declaration file declares counts as exported.
    'export {};',
  ];
  return `${parts.filter(Boolean).join('\n')}\n`;
}

/** What the files, and all that they import, declare, import and export. */
function readAll(entryFiles) {
  const files = new Map();
  const queue = [...entryFiles];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    if (files.has(file)) continue;
    const source = ts.createSourceFile(
      file,
      readFileSync(file, 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const read = {
      comment: moduleComment(source),
      declared: new Map(),
      imported: new Map(),
      exported: new Map(),
      passedOn: [],
    };
    for (const statement of source.statements) readStatement(statement, file, read);
    files.set(file, read);
    queue.push(
      ...ts
        .preProcessFile(source.text)
        .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => fileOf(fileName, file)),
    );
  }
  return files;
}

function readStatement(statement, file, { declared, imported, exported, passedOn }) {
  if (ts.isImportDeclaration(statement)) {
    const from = fileOf(statement.moduleSpecifier.text, file);
    for (const name of namesIn(statement.importClause?.namedBindings)) imported.set(name, from);
  } else if (ts.isExportDeclaration(statement)) {
    const specifier = statement.moduleSpecifier?.text;
    const from = specifier === undefined ? file : fileOf(specifier, file);
    if (statement.exportClause === undefined) passedOn.push(from);
    else for (const name of namesIn(statement.exportClause)) exported.set(name, from);
  } else {
    const isExported =
      statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    const name = declaredName(statement);
    const known = declared.get(name) ?? { name, file, isExported, statements: [] };
    known.statements.push(statement);
    declared.set(name, known);
    if (isExported) exported.set(name, file);
  }
}

function namesIn(list) {
  if (list?.elements === undefined) throw new Error('an import or export of more than names');
  return list.elements.map(({ name, propertyName }) => {
    if (propertyName !== undefined) throw new Error(`${list.getText()} renames`);
    return name.text;
  });
}

function declaredName(statement) {
  if (!ts.isVariableStatement(statement)) return statement.name.text;
  const [{ name }, ...others] = statement.declarationList.declarations;
  if (others.length > 0) throw new Error(`${statement.getText()} declares several names`);
  return name.text;
}

/** The `.d.ts` file of a relative specifier; that of a package stays as it is. */
function fileOf(specifier, importer) {
  if (!specifier.startsWith('.')) return specifier;
  return path.join(path.dirname(importer), specifier.replace(/\.js$/, '.d.ts'));
}

/** What a file exports: the declarations by their names. */
function exportsOf(file, files) {
  const { exported, passedOn } = files.get(file);
  return new Map([
    ...passedOn.flatMap((from) => [...exportsOf(from, files)]),
    ...[...exported].map(([name, from]) => [name, declarationOf(name, from, files)]),
  ]);
}

/** The declaration behind a name that a file declares or passes on, or which package has it. */
function declarationOf(name, file, files) {
  const read = files.get(file);
  if (read === undefined) return { name, specifier: file };
  if (read.declared.has(name)) return read.declared.get(name);
  if (read.imported.has(name)) return declarationOf(name, read.imported.get(name), files);
  return exportsOf(file, files).get(name);
}

/** What the text of a declaration mentions, of ours and of packages. */
function referencesOf({ file, statements }, files) {
  const { declared, imported } = files.get(file);
  if (statements.some((node) => /\bimport\(/.test(node.getText())))
    throw new Error(`${file} has an import() type: name its type in the source`);
  return [...new Set(statements.flatMap(identifiersIn))]
    .filter((name) => declared.has(name) || imported.has(name))
    .map((name) => declarationOf(name, file, files));
}

function identifiersIn(node) {
  const found = ts.isIdentifier(node) ? [node.text] : [];
  ts.forEachChild(node, (child) => {
    found.push(...identifiersIn(child));
  });
  return found;
}

/** The file of each declaration: that of the entry that alone reaches it, or the shared one. */
function homesOf(publicOf, files) {
  const homes = new Map();
  for (const [entry, declarations] of publicOf) {
    const reached = new Set();
    const visit = (declaration) => {
      if (reached.has(declaration) || declaration.specifier !== undefined) return;
      reached.add(declaration);
      homes.set(declaration, homes.has(declaration) ? SHARED : entry);
      referencesOf(declaration, files).forEach(visit);
    };
    declarations.forEach(visit);
  }
  return homes;
}

function externalImports(used, home) {
  const externals = [...used].filter(({ specifier }) => specifier !== undefined);
  const specifiers = [...new Set(externals.map(({ specifier }) => specifier))].sort();
  return specifiers.map((specifier) => {
    // The shared file is there for all, whatever peer dependencies they have.
    if (home === SHARED && !specifier.startsWith('node:'))
      throw new Error(`all entries would need ${specifier}`);
    const names = externals.filter((one) => one.specifier === specifier).map(({ name }) => name);
    return `import type { ${[...new Set(names)].sort().join(', ')} } from '${specifier}';`;
  });
}

function listOf(keyword, declarations) {
  if (declarations.length === 0) return '';
  const names = declarations.map(({ name }) => name).sort();
  return `${keyword} { ${names.join(', ')} } from './${SHARED}.cjs';`;
}

function textOf(statement, { isExported, withComment }) {
  const text = statement.getText();
  const code = isExported ? text : text.replace(/^export /, '');
  const comment = withComment ? docComment(statement) : undefined;
  return comment === undefined ? code : `${comment}\n${code}`;
}

/** The comment right above a statement. */
function docComment(statement) {
  return commentsAt(statement.pos, statement.getSourceFile().text).at(-1);
}

function moduleComment({ text }) {
  return commentsAt(0, text).find((comment) => comment.includes('@module'));
}

function commentsAt(position, text) {
  const ranges = ts.getLeadingCommentRanges(text, position) ?? [];
  return ranges.map(({ pos, end }) => text.slice(pos, end));
}
