import { measure as bundleSize } from './bundle-size.js';
import { measure as clientCpu } from './client-cpu.js';
import { measure as growth } from './growth.js';
import { measure as latency } from './latency.js';
import { measure as libraryCpu } from './library-cpu.js';
import { measure as memory } from './memory.js';
import { measure as requests } from './requests.js';
import type { Effort } from './rounds.js';
import type { Row } from './row.js';
import { measure as startUp } from './start-up.js';
import { measure as throughput } from './throughput.js';

export type Measure = (effort: Effort) => Promise<Row[]>;

/** What is measured, each in a file and, when it runs, in a process of its own. */
export const matters: Readonly<Record<string, Measure>> = {
  'library-cpu': libraryCpu,
  'client-cpu': clientCpu,
  latency,
  throughput,
  'start-up': startUp,
  'bundle-size': bundleSize,
  memory,
  requests,
  growth,
};
