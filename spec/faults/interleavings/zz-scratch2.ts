import fc from 'fast-check';
import { interleavings, type Tally } from './explore.js';
void (async () => {
  const tally: Tally = new Map();
  const n = Number(process.env['N']);
  const seed = Number(process.env['SEED'] ?? 1);
  const end = process.env['END'] === '1';
  for (const c of [2, 3, 4]) {
    const t = process.cpuUsage().user;
    const found = await fc.check(interleavings({ min: c, max: c }, { tally }), { numRuns: n, seed, endOnFailure: end });
    console.log(c, found.failed ? 'FAILED after ' + found.numRuns + ' ' + found.counterexamplePath + JSON.stringify(found.counterexample) + '\n' + (end ? String((found.errorInstance as Error).message).split('\n')[0] : (found.errorInstance as Error).message) : 'ok ' + found.numRuns, (process.cpuUsage().user - t) / 1e6, 's');
    if (found.failed && end) break;
  }
  if (!end) console.log([...tally].map(([a, b]) => a + '=' + b).join(', '));
})();
