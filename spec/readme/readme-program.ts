import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import type { dialect } from '../decorator/support.js';
import { Markdown, type CodeBlock } from './markdown.js';

export const root = resolve(__dirname, '../..');

export const readme = new Markdown(readFileSync(join(root, 'README.md'), 'utf8'));

/** The package's entry points as the README imports them, and their sources. */
export const entries = {
  'mayfly-idempotency': 'lib/index.ts',
  'mayfly-idempotency/cache': 'lib/cache/index.ts',
  'mayfly-idempotency/dynamodb': 'lib/store/dynamodb/index.ts',
  'mayfly-idempotency/events': 'lib/events/index.ts',
  'mayfly-idempotency/execution': 'lib/execution/index.ts',
  'mayfly-idempotency/middy': 'lib/middy/index.ts',
  'mayfly-idempotency/redis': 'lib/store/redis/index.ts',
  'mayfly-idempotency/testing': 'lib/testing/index.ts',
} as const;

type Dialect = ReturnType<typeof dialect>;

export type Entry = keyof typeof entries;

/** A block of TypeScript and what the compiler made of it. */
export interface CompiledBlock {
  readonly block: CodeBlock;
  readonly diagnostics: readonly string[];
  /** CommonJS, to be run inside an async function. */
  readonly javaScript: string;
}

/**
 * All TypeScript of the README as one program, so that the compiler reads everything only once. The
 * blocks are modules in the folder of `given/orders.ts`, which some of them import.
 */
export class ReadmeProgram {
  readonly checker: ts.TypeChecker;
  readonly #program: ts.Program;
  readonly #blocks: ReadonlyMap<string, CodeBlock>;

  constructor(dialect: Dialect) {
    this.#blocks = new Map(
      readme.blocks
        .filter(({ language }) => language === 'ts')
        .map((block) => [join(root, `spec/readme/given/line-${String(block.line)}.ts`), block]),
    );
    const options = optionsFor(dialect);
    const sources = Object.values(entries).map((source) => join(root, source));
    this.#program = ts.createProgram({
      rootNames: [...sources, ...this.#blocks.keys()],
      options,
      host: this.#hostFor(options),
    });
    this.checker = this.#program.getTypeChecker();
  }

  compile(): readonly CompiledBlock[] {
    return [...this.#blocks].map(([path, block]) => {
      const source = this.#program.getSourceFile(path);
      if (source === undefined) throw new Error(`The block at line ${String(block.line)} is lost`);
      const found = [
        ...this.#program.getSyntacticDiagnostics(source),
        ...this.#program.getSemanticDiagnostics(source),
      ];
      return {
        block,
        diagnostics: found.map((each) => describeDiagnostic(each, block)),
        javaScript: this.#emit(source),
      };
    });
  }

  /** The names that an entry point exports. */
  exportsOf(entry: Entry): readonly ts.Symbol[] {
    const source = this.#program.getSourceFile(join(root, entries[entry]));
    const module = source && this.checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${entry} is no module`);
    return this.checker
      .getExportsOfModule(module)
      .map((name) =>
        name.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(name) : name,
      );
  }

  /** The type that an entry point exports under a name. */
  typeOf(name: string, entry: Entry = 'mayfly-idempotency'): ts.Type {
    const found = this.exportsOf(entry).find((each) => each.name === name);
    if (found === undefined) throw new Error(`${entry} exports no ${name}`);
    return this.checker.getDeclaredTypeOfSymbol(found);
  }

  /** The names of the members of an exported interface. */
  membersOf(name: string, entry?: Entry): readonly string[] {
    return this.checker.getPropertiesOfType(this.typeOf(name, entry)).map((member) => member.name);
  }

  /** The same without the optional ones. */
  requiredMembersOf(name: string): readonly string[] {
    return this.checker
      .getPropertiesOfType(this.typeOf(name))
      .filter(({ flags }) => !(flags & ts.SymbolFlags.Optional))
      .map((member) => member.name);
  }

  /** The literals that a type is a union of. */
  literalsOf(type: ts.Type): readonly string[] {
    const parts = type.isUnion() ? type.types : [type];
    return parts.flatMap((part) =>
      part.isStringLiteral() || part.isNumberLiteral() ? [String(part.value)] : [],
    );
  }

  /** The type of a member of a type. */
  memberType(type: ts.Type, name: string): ts.Type | undefined {
    const member = type.getProperty(name);
    return member && this.checker.getTypeOfSymbol(member);
  }

  #emit(source: ts.SourceFile): string {
    let emitted = '';
    this.#program.emit(source, (path, text) => {
      if (path.endsWith('.js')) emitted = text;
    });
    // Top-level await needs an ES module; run inside an async function it can do without one.
    return ts.transpileModule(emitted, {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    }).outputText;
  }

  #hostFor(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile } = host;
    host.fileExists = (path) => this.#blocks.has(resolve(path)) || fileExists.call(host, path);
    host.readFile = (path) => this.#blocks.get(resolve(path))?.code ?? readFile.call(host, path);
    host.getSourceFile = (path, languageVersion) => {
      const text = host.readFile(path);
      return text === undefined
        ? undefined
        : ts.createSourceFile(path, text, languageVersion, true);
    };
    return host;
  }
}

let made: ReadmeProgram | undefined;

/** The program of this process, made at the first call: a process compiles for one dialect. */
export function readmeProgram(dialect: Dialect): ReadmeProgram {
  return (made ??= new ReadmeProgram(dialect));
}

function optionsFor(dialect: Dialect): ts.CompilerOptions {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options, errors } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  if (errors.length > 0) throw new Error(errors.map((each) => textOf(each)).join('\n'));
  return {
    ...options,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    experimentalDecorators: dialect === 'legacy',
    emitDecoratorMetadata: dialect === 'legacy',
    sourceMap: false,
    noEmit: false,
    paths: Object.fromEntries(
      Object.entries(entries).map(([name, source]) => [name, [join(root, source)]]),
    ),
  };
}

function describeDiagnostic(diagnostic: ts.Diagnostic, block: CodeBlock): string {
  const { file, start = 0 } = diagnostic;
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line;
  return `README.md:${String(block.line + line)}: ${textOf(diagnostic)}`;
}

function textOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, '\n');
}
