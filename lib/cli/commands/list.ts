import { RecordStatus } from '../../store/idempotency-store.js';
import { ExitCode, UsageError, type Command, type OptionValues } from '../command.js';
import { text } from '../options.js';
import { describeState, jsonOf, stateOf, type Found } from '../record-view.js';
import { CLOCK_SKEW_MS } from '../records-table.js';
import type { ScanFilter } from '../scan-request.js';
import { inColumns, printable, type Terminal } from '../terminal.js';

const DEFAULT_LIMIT = 100;
/** Where nobody watches, a log gets a line only for scans that take long. */
const PAGES_PER_LINE = 10;

const statuses: Readonly<Record<string, RecordStatus>> = {
  'in-progress': RecordStatus.IN_PROGRESS,
  inprogress: RecordStatus.IN_PROGRESS,
  completed: RecordStatus.COMPLETED,
  failed: RecordStatus.FAILED,
};

export const list: Command = {
  name: 'list',
  usage: 'list [--status S] [--expired] [--limit N] [--json]',
  summary: 'list records; with --expired those that nobody works on any more',
  details: [
    'Scans the table: this reads, and bills, every item up to the last one shown (half a read unit per 4 KB, results included although they are not sent), whatever the filter. On a large table in use, prefer get.',
    '--expired: abandoned claims, in progress with their time over, and records that cannot be read.',
    'Needs dynamodb:Scan.',
  ],
  examples: [
    'list --expired',
    'list --status completed --limit 20',
    'list --expired --limit all --json | jq -r .id',
  ],
  options: {
    status: { type: 'string', value: 'S', help: 'only in-progress, completed or failed ones' },
    expired: { type: 'boolean', help: 'only abandoned claims and unreadable records' },
    limit: {
      type: 'string',
      value: 'N',
      help: `stop after this many (default ${String(DEFAULT_LIMIT)}), or all`,
    },
    json: { type: 'boolean', help: 'print one JSON object a line' },
  },
  positionals: 0,
  actions: ['dynamodb:Scan'],
  async run({ options, terminal, openTable }) {
    const limit = limitOf(options);
    const expired = options['expired'] === true;
    const nowMs = terminal.now();
    const status = statusOf(options);
    const filter: ScanFilter = {
      ...(status === undefined ? {} : { status }),
      ...(expired ? { expiredBeforeMs: nowMs - CLOCK_SKEW_MS } : {}),
    };
    const progress = new Progress(terminal);
    const shown: Found[] = [];
    let more = false;
    for await (const { found, scanned } of openTable().scan(filter)) {
      const wanted = expired ? found.filter((each) => isBlocking(each, nowMs)) : found;
      more = shown.length + wanted.length > limit;
      shown.push(...wanted.slice(0, limit - shown.length));
      if (more) break;
      progress.page(scanned, shown.length);
    }
    progress.end();
    terminal.out(
      options['json'] === true
        ? shown.map((found) => `${JSON.stringify(jsonOf(found, nowMs, false))}\n`).join('')
        : tableOf(shown, nowMs),
    );
    if (more) terminal.err(`Only the first ${String(limit)}; --limit N or all shows more\n`);
    if (shown.length === 0) terminal.err('No such records\n');
    return ExitCode.OK;
  },
};

function isBlocking(found: Found, nowMs: number): boolean {
  const state = stateOf(found, nowMs);
  return state === 'abandoned' || state === 'unreadable';
}

function tableOf(shown: readonly Found[], nowMs: number): string {
  if (shown.length === 0) return '';
  return inColumns([
    ['ID', 'STATE'],
    ...shown.map((found) => [printable(found.id), printable(describeState(found, nowMs))]),
  ]);
}

function limitOf(options: OptionValues): number {
  const given = text(options, 'limit') ?? String(DEFAULT_LIMIT);
  if (given === 'all') return Infinity;
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    throw new UsageError(`expected --limit to be a positive whole number or all, got ${given}`);
  }
  return Number(given);
}

function statusOf(options: OptionValues): RecordStatus | undefined {
  const given = text(options, 'status');
  if (given === undefined) return undefined;
  const status = Object.hasOwn(statuses, given.toLowerCase())
    ? statuses[given.toLowerCase()]
    : undefined;
  if (status === undefined) {
    throw new UsageError(`expected --status to be in-progress, completed or failed, got ${given}`);
  }
  if (options['expired'] === true && status !== RecordStatus.IN_PROGRESS) {
    throw new UsageError('--expired is about claims in progress: leave --status out');
  }
  return status;
}

/** Tells how far a scan is: drawn over where somebody watches. */
class Progress {
  readonly #terminal: Terminal;
  #pages = 0;
  #scanned = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  page(scanned: number, matching: number): void {
    this.#pages += 1;
    this.#scanned += scanned;
    const line = `${String(this.#scanned)} items read, ${String(matching)} to show`;
    if (this.#terminal.errIsTty) this.#terminal.err(`\r${line}`);
    else if (this.#pages % PAGES_PER_LINE === 0) this.#terminal.err(`${line}\n`);
  }

  end(): void {
    if (this.#terminal.errIsTty && this.#pages > 0) this.#terminal.err('\r\u001b[K');
  }
}
