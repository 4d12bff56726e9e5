import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_TIMEOUT_MS = 30_000;

/** A `redis-server` of this machine, on a port and in a folder of its own. */
export interface RedisServer {
  readonly port: number;
  /** Stops it at once, as a crash does, and starts it again on the same port and folder. */
  restart(): Promise<void>;
  /** Stops it at once. */
  kill(): Promise<void>;
  /** Starts it again after {@link kill}. */
  start(): Promise<void>;
  /** Stops it for good and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a server that keeps nothing on disk, unless `config` says otherwise: pairs of a directive
 * and its value, `{ appendonly: 'yes' }`. The program is `REDIS_SERVER`, else `redis-server`.
 */
export async function startRedisServer(
  config: Readonly<Record<string, string>> = {},
): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-server-'));
  const port = await freePort();
  const directives = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'no',
    ...config,
  };
  const args = Object.entries(directives).flatMap(([name, value]) => [`--${name}`, value]);
  let server: ChildProcess | undefined;
  const killAtExit = () => server?.kill('SIGKILL');
  process.once('exit', killAtExit);

  const start = async (): Promise<void> => {
    server = spawn(process.env['REDIS_SERVER'] ?? 'redis-server', args, { stdio: 'ignore' });
    let failure: Error | undefined;
    server.once('error', (error) => (failure = error));
    const endMs = Date.now() + START_TIMEOUT_MS;
    while (!(await answersPing(port))) {
      if (failure !== undefined) throw failure;
      if (server.exitCode !== null) throw new Error('redis-server ended at its start');
      if (Date.now() > endMs) throw new Error('redis-server did not start within 30 s');
    }
  };
  const kill = async (): Promise<void> => {
    if (server === undefined) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
    server = undefined;
  };

  await start();
  return {
    port,
    kill,
    start,
    restart: async () => {
      await kill();
      await start();
    },
    stop: async () => {
      process.removeListener('exit', killAtExit);
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** One attempt; whatever is not an answer takes a moment, so that the loop around it does not spin. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const end = (ready: boolean) => {
      socket.destroy();
      if (ready) resolve(true);
      else setTimeout(resolve, 20, false);
    };
    // An error answer (no password given) is an answer too; one that data is loading is not.
    socket.once('data', (data) => {
      end(!data.toString().startsWith('-LOADING'));
    });
    socket.once('error', () => {
      end(false);
    });
  });
}
