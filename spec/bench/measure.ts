/*
 * Measures one matter, in a process that does nothing else: `measure.ts library-cpu [--smoke]`. Run
 * by hand it prints the rows, and is what a profiler can be put on.
 */
import { matters } from './matters.js';
import { printTable } from './report.js';
import { full, smoke } from './rounds.js';
import { prepareWorkspace } from './workspace.js';

async function main(): Promise<void> {
  const [name = '', ...flags] = process.argv.slice(2);
  const measure = matters[name];
  if (measure === undefined) throw new Error(`No such matter: ${name}`);
  const isAlone = process.send === undefined;
  if (isAlone) prepareWorkspace();
  const rows = await measure(flags.includes('--smoke') ? smoke : full);
  if (isAlone) printTable(rows);
  else process.send?.(rows);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
