declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
    readonly maxItemSizeKb?: number;
    readonly path?: string;
  }

  /** An in-process emulator of DynamoDB over HTTP; nothing listens before `listen`. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
