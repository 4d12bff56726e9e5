/* One table, on the console, as JSON and in README.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ContestantName } from './contestants/contestant.js';
import type { Spread } from './rounds.js';
import type { Row } from './row.js';

export interface Results {
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: string;
  readonly rounds: number;
  readonly rows: readonly Row[];
}

const contestants: readonly ContestantName[] = ['by hand', 'Powertools', 'mayfly'];
const heading = ['what', 'unit', ...contestants, 'mayfly is', 'spread', 'bar', 'met'];

const readme = path.join(__dirname, 'README.md');
const BEGIN = '<!-- results: begin, written by `npm run bench -- --write` -->';
const END = '<!-- results: end -->';

export function printTable(rows: readonly Row[]): void {
  const lines = [heading, ...rows.map(cellsOf)];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    const cells = line.map((cell, column) =>
      // Figures to the right, words to the left.
      column > 1 && column < 5 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
    );
    console.log(cells.join('  ').trimEnd());
  }
}

/** The line under the table. */
export function verdict(rows: readonly Row[]): string {
  const bars = rows.filter(({ bar }) => bar !== undefined);
  const missed = bars.filter(({ bar }) => bar?.met === false);
  return `${String(bars.length - missed.length)} of ${String(bars.length)} bars met`;
}

export function writeJson(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}

/** Puts the table between the two markers of README.md. */
export function writeReadme({ versions, machine, rounds, rows }: Results): void {
  const text = readFileSync(readme, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${readme} has lost its markers`);
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const table = [heading, heading.map((_, column) => (column > 1 && column < 5 ? '---:' : '---'))]
    .concat(rows.map(cellsOf))
    .map((cells) => `| ${cells.join(' | ')} |`);
  const section = [
    BEGIN,
    '',
    `${names.join(', ')}; ${machine}; ${String(rounds)} rounds; ${verdict(rows)}.`,
    '',
    '<!-- prettier-ignore -->',
    ...table,
    '',
    '',
  ].join('\n');
  writeFileSync(readme, text.slice(0, begin) + section + text.slice(end));
}

function cellsOf({ what, unit, figures, ratio, bar }: Row): string[] {
  return [
    what,
    unit,
    ...contestants.map((name) => figureOf(figures[name])),
    ratio === undefined ? '' : `${ratio.spread.median.toFixed(3)} of ${ratio.to}`,
    spreadOf(ratio?.spread),
    bar?.text ?? '',
    bar === undefined ? '' : bar.met ? 'yes' : 'NO',
  ];
}

function figureOf(spread: Spread | undefined): string {
  if (spread === undefined) return '–';
  const { median } = spread;
  if (Number.isInteger(median)) return String(median);
  return median.toFixed(Math.abs(median) < 10 ? 2 : Math.abs(median) < 1000 ? 1 : 0);
}

function spreadOf(spread: Spread | undefined): string {
  if (spread === undefined || spread.p10 === spread.p90) return '';
  return `${spread.p10.toFixed(2)} to ${spread.p90.toFixed(2)}`;
}
