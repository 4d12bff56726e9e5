/*
 * `npm run bench`: see README.md.
 *
 *   --only NAME  one matter; again for more
 *   --smoke      each row as short as can be: does everything still run?
 *   --write      the table goes into README.md too
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { matters } from './matters.js';
import { printTable, verdict, writeJson, writeReadme, type Results } from './report.js';
import { full, smoke } from './rounds.js';
import type { Row } from './row.js';
import { prepareWorkspace, versions, workspace } from './workspace.js';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      smoke: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const names = values.only ?? Object.keys(matters);
  const unknown = names.filter((name) => !(name in matters));
  if (unknown.length > 0) {
    throw new Error(`No ${unknown.join()}; there are ${Object.keys(matters).join(', ')}`);
  }
  if (values.write && (values.smoke || values.only !== undefined)) {
    throw new Error('--write is for a whole run');
  }
  prepareWorkspace();

  const rows: Row[] = [];
  for (const name of names) {
    console.error(`${new Date().toLocaleTimeString('en-GB')} ${name}`);
    rows.push(...(await measureApart(name, values.smoke)));
  }

  const results: Results = {
    versions: versions(),
    machine: machine(),
    rounds: (values.smoke ? smoke : full).rounds,
    // What a smoke run measures in time is nothing to judge by.
    rows: values.smoke ? rows.map(unjudged) : rows,
  };
  printTable(results.rows);
  if (!values.smoke) console.log(`\n${verdict(rows)}`);
  const file = path.join(workspace, 'results.json');
  writeJson(file, results);
  console.log(file);
  if (values.write) writeReadme(results);
  if (rows.some(({ exact }) => exact === false)) process.exitCode = 1;
}

/** One matter's traces in the compiler and the collector are not the next one's. */
async function measureApart(name: string, short: boolean): Promise<readonly Row[]> {
  const child = fork(path.join(__dirname, 'measure.ts'), [name, ...(short ? ['--smoke'] : [])], {
    execArgv: ['--expose-gc', '--no-warnings', '-r', 'ts-node/register/transpile-only'],
  });
  let rows: readonly Row[] | undefined;
  child.once('message', (message) => (rows = message as readonly Row[]));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 || rows === undefined) throw new Error(`${name} failed`);
  return rows;
}

function unjudged(row: Row): Row {
  if (row.exact !== undefined) return row;
  const { bar: _, ...rest } = row;
  return rest;
}

function machine(): string {
  const processors = cpus();
  return `${String(processors.length)} × ${processors[0]?.model ?? process.arch}`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
