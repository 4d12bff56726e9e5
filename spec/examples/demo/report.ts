import { RecordStatus, type IdempotencyRecord } from '../../../lib/index.js';
import type { Effect } from './effects-log.js';
import type { Scenario } from './scenario.js';
import type { Tally } from './tally.js';

/** What came of a scenario. */
export interface Outcome {
  readonly scenario: Scenario;
  readonly tally: Tally;
  readonly note: string | undefined;
}

const WIDTH = 100;
const MAX_ID_LENGTH = 30;

export function deliveriesTable(outcomes: readonly Outcome[], effects: readonly Effect[]): string {
  const head = [
    ...['event', 'orders', 'deliveries', 'runs', 'placed', 'replays', 'in progress', 'errors'],
  ];
  const notes: string[] = [];
  const numbers = outcomes.map(({ scenario, tally, note }) => {
    const own = effects.filter(({ orderId }) => scenario.orderIds.includes(orderId));
    const count = (type: Effect['type']): number => own.filter((each) => each.type === type).length;
    if (note !== undefined) notes.push(note);
    return {
      title: note === undefined ? scenario.title : `${scenario.title} [${String(notes.length)}]`,
      values: [
        scenario.orderIds.length,
        tally.deliveries,
        count('run'),
        count('placed'),
        tally.replays,
        tally.inProgress,
        tally.errors,
      ],
    };
  });
  const total = head
    .slice(1)
    .map((_name, column) => numbers.reduce((sum, { values }) => sum + (values[column] ?? 0), 0));
  const rows = [...numbers, { title: 'all', values: total }].map(({ title, values }) => [
    title,
    ...values.map(String),
  ]);
  const footnotes = notes.map((note, index) => wrap(`[${String(index + 1)}] ${note}`));
  return [table([head, ...rows], 'right'), ...footnotes].join('\n\n');
}

export function recordsTable(records: readonly IdempotencyRecord[], nowMs: number): string {
  const head = ['id', 'status', 'expires in', 'result or claim'];
  const rows = records.map((record) => [
    shorten(record.id, MAX_ID_LENGTH),
    record.status,
    record.expiresAtMs === undefined ? 'never' : seconds(record.expiresAtMs - nowMs),
    record.status === RecordStatus.IN_PROGRESS
      ? `claim ended ${seconds(nowMs - (record.inProgressUntilMs ?? nowMs))} ago`
      : typeof record.result === 'string'
        ? record.result
        : '',
  ]);
  return table([head, ...rows], 'left');
}

/** The first row is the head; columns after the first one are aligned as told. */
function table(rows: readonly (readonly string[])[], align: 'left' | 'right'): string {
  const [head = []] = rows;
  const widths = head.map((_name, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    shorten(
      cells
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column > 0 && align === 'right' ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
      WIDTH,
    );
  const rule = '-'.repeat(
    Math.min(
      WIDTH,
      widths.reduce((sum, width) => sum + width + 2, -2),
    ),
  );
  return [line(head), rule, ...rows.slice(1).map(line)].join('\n');
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 3)}...`;
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}

function wrap(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length >= WIDTH) lines.push(`    ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}
