/** A fenced block of code. */
export interface CodeBlock {
  readonly language: string;
  readonly code: string;
  /** The line in the document that the code begins on, counted from 1. */
  readonly line: number;
  /** What an HTML comment right above says, such as `compile only: …`. */
  readonly comment: string | undefined;
}

/** A table, its cells without the spaces around them. */
export interface Table {
  /** The text of the nearest heading above. */
  readonly heading: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The parts of a Markdown document that specs look at. */
export class Markdown {
  readonly blocks: readonly CodeBlock[];
  readonly tables: readonly Table[];
  readonly headings: readonly string[];
  /** Targets of links, in the order of their appearance. */
  readonly links: readonly string[];
  /** The text without code blocks. */
  readonly prose: string;

  constructor(readonly text: string) {
    const lines = text.split('\n');
    this.blocks = codeBlocks(lines);
    const prose = withoutCode(lines);
    this.prose = prose.join('\n');
    this.headings = prose.flatMap((line) => headingIn(line) ?? []);
    this.tables = tablesIn(prose);
    this.links = [...this.prose.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target]) => target!);
  }

  /** The only table under a heading whose header begins like this. */
  table(heading: string, ...header: readonly string[]): Table {
    const found = this.tables.filter(
      (table) =>
        table.heading === heading && header.every((name, i) => nameIn(table.header[i]) === name),
    );
    if (found.length !== 1) {
      throw new Error(
        `Expected one table with ${header.join(' | ')} under "${heading}", found ${String(found.length)}`,
      );
    }
    return found[0]!;
  }

  /** The anchors that GitHub gives the headings. */
  get anchors(): readonly string[] {
    return this.headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  }
}

/** What stands in the backticks of a cell; the cell itself where there are none. */
export function nameIn(cell: string | undefined): string {
  return /`([^`]+)`/u.exec(cell ?? '')?.[1] ?? cell ?? '';
}

function codeBlocks(lines: readonly string[]): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let begin: number | undefined;
  lines.forEach((line, index) => {
    if (!line.startsWith('```')) return;
    if (begin === undefined) {
      begin = index;
      return;
    }
    blocks.push({
      language: lines[begin]!.slice(3).trim(),
      code: `${lines.slice(begin + 1, index).join('\n')}\n`,
      line: begin + 2,
      comment: /^<!-- (.*) -->$/u.exec(lines[begin - 1] ?? '')?.[1],
    });
    begin = undefined;
  });
  if (begin !== undefined) throw new Error(`The block at line ${String(begin + 1)} does not end`);
  return blocks;
}

function withoutCode(lines: readonly string[]): string[] {
  let inside = false;
  return lines.filter((line) => {
    const isFence = line.startsWith('```');
    if (isFence) inside = !inside;
    return !isFence && !inside;
  });
}

function headingIn(line: string): string | undefined {
  return /^#{1,6} (.+)$/u.exec(line)?.[1];
}

function tablesIn(lines: readonly string[]): Table[] {
  const tables: Table[] = [];
  let heading = '';
  lines.forEach((line, index) => {
    heading = headingIn(line) ?? heading;
    if (!/^\|[ :|-]+\|$/u.test(line)) return;
    const end = lines.findIndex((later, at) => at > index && !later.startsWith('|'));
    const rows = lines.slice(index + 1, end === -1 ? undefined : end).map(cellsOf);
    tables.push({ heading, header: cellsOf(lines[index - 1]!), rows });
  });
  return tables;
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/u)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
