/// <reference path="./dynalite.d.ts" />
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import type { Engine } from './engine.js';

/** Starts dynalite in this process on a free port of the loopback interface. */
export async function startDynalite(): Promise<Engine> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${String(port)}`,
    stop: () =>
      new Promise((resolve, reject) => {
        server.close((error) => {
          if (error instanceof Error) reject(error);
          else resolve();
        });
        // Clients keep their connections alive, and `close` waits for them.
        server.closeAllConnections();
      }),
  };
}
