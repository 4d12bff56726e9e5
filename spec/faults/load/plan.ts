/** What the process under load is told to do. */
export interface LoadPlan {
  readonly endpoint: string;
  readonly table: string;
  readonly keys: number;
  readonly inFlight: number;
  readonly seconds: number;
  /** A fault for the measurement to find: every call leaves something behind. */
  readonly leaks: boolean;
}

/** What it saw. */
export interface LoadReport {
  readonly calls: number;
  readonly runs: number;
  readonly counts: Readonly<Record<'executed' | 'replayed' | 'in-progress', number>>;
  /** Bytes of heap in use after garbage collection, in even steps. */
  readonly heap: readonly number[];
  /** Timers of the library that neither went off nor were cancelled. */
  readonly timers: number;
  /** Listeners on `process` that were not there before. */
  readonly listeners: number;
  /** What keeps the event loop going when all calls are over. */
  readonly resources: readonly string[];
  readonly seconds: number;
  readonly endedMs: number;
}
