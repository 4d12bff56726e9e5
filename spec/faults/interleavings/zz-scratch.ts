import fc from 'fast-check';
import { interleavings } from './explore.js';
import { plantedFaults } from './planted-faults.js';
import type { InvariantBroken } from './world.js';
void (async () => {
  for (const f of plantedFaults) {
    const line: string[] = [];
    const t = process.cpuUsage().user;
    for (let seed = 1; seed <= Number(process.env['S'] ?? 5); seed++) {
      const found = await fc.check(interleavings({ min: 2, max: 4 }, { parts: f.parts }), { numRuns: 8000, seed, endOnFailure: true });
      line.push(found.failed ? String(found.numRuns) : 'none');
      if (found.failed && !f.breaks.test((found.errorInstance as InvariantBroken).invariant)) line.push((found.errorInstance as Error).message);
    }
    console.log(f.name, line.join(' '), (process.cpuUsage().user - t) / 1e6);
  }
})();
