import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to the engine on which every reply breaks off in the middle of its body. */
export class CuttingProxy {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(target: number): Promise<CuttingProxy> {
    const server = createServer((client) => {
      join(client, connect(target, '127.0.0.1'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function join(client: Socket, engine: Socket): void {
  const end = () => {
    client.destroy();
    engine.destroy();
  };
  client.on('error', end).on('close', end);
  engine.on('error', end).on('close', end);
  client.on('data', (request) => engine.write(request));
  engine.once('data', (reply) => {
    client.write(firstHalf(reply), end);
  });
}

/** The head of a reply and half of its body, as far as it came with the head. */
function firstHalf(reply: Buffer): Buffer {
  const bodyStart = reply.indexOf('\r\n\r\n') + 4;
  return reply.subarray(0, bodyStart + Math.floor((reply.length - bodyStart) / 2));
}
