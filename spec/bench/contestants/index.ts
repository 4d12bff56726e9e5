import { loadPackages } from '../packages.js';
import { byHand } from './by-hand.js';
import type { Contestants } from './contestant.js';
import { mayfly } from './mayfly.js';
import { powertools } from './powertools.js';

export async function loadContestants(): Promise<Contestants> {
  const packages = await loadPackages();
  return [byHand(), powertools(packages), mayfly(packages)];
}
