/* dynalite in a process of its own: it holds its tables in memory, and would be most of the heap. */
import { startDynalite } from '../../support/engines/dynalite.js';

async function run(): Promise<void> {
  const { endpoint } = await startDynalite();
  process.stdout.write(endpoint);
  // The end of its input is the end of the spec that started it.
  process.stdin.resume();
  process.stdin.once('end', () => process.exit());
}

void run();
