import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Engine } from './engine.js';

const FETCH_SCRIPT = join(__dirname, 'fetch-dynamodb-local.sh');
const START_TIMEOUT_MS = 30_000;

/** Starts AWS's DynamoDB Local (Java, in memory) on a free port, and fetches it the first time. */
export async function startDynamoDBLocal(): Promise<Engine> {
  const { stdout } = await promisify(execFile)(FETCH_SCRIPT);
  const folder = stdout.trim();
  const port = await freePort();
  const engine = spawn(
    'java',
    [
      ...['-XX:TieredStopAtLevel=1', '-Djava.library.path=./DynamoDBLocal_lib'],
      ...['-jar', 'DynamoDBLocal.jar'],
      ...['-port', String(port), '-inMemory', '-sharedDb'],
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  const kill = () => {
    engine.kill('SIGKILL');
  };
  process.once('exit', kill);
  await acceptsConnections(engine, port);
  return {
    endpoint: `http://127.0.0.1:${String(port)}`,
    stop: async () => {
      process.removeListener('exit', kill);
      const exited = once(engine, 'exit');
      kill();
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function acceptsConnections(engine: ChildProcess, port: number): Promise<void> {
  const endMs = Date.now() + START_TIMEOUT_MS;
  while (!(await connects(port))) {
    if (engine.exitCode !== null) {
      throw new Error(`DynamoDB Local ended at its start with code ${String(engine.exitCode)}`);
    }
    if (Date.now() > endMs) throw new Error('DynamoDB Local did not start within 30 s');
  }
}

/** One attempt; a refusal takes a moment, so that the loop around it does not spin. */
function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      setTimeout(resolve, 50, false);
    });
  });
}
