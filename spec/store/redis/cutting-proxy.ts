import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A proxy on this machine that can lose what a server answers. */
export class CuttingProxy {
  readonly #server: Server;
  #cuts = 0;
  #lost = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      this.#join(client, connect(target, '127.0.0.1'));
    });
  }

  static async to(target: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Answers lost so far: requests that the server has carried out and nobody knows of. */
  get lost(): number {
    return this.#lost;
  }

  /** Cuts the connection in place of the next answer. */
  loseNextAnswer(): void {
    this.#cuts += 1;
  }

  close(): void {
    this.#server.close();
  }

  #join(client: Socket, server: Socket): void {
    const end = () => {
      client.destroy();
      server.destroy();
    };
    client.on('error', end).on('close', end);
    server.on('error', end).on('close', end);
    client.on('data', (request) => server.write(request));
    server.on('data', (answer) => {
      if (this.#cuts === 0) {
        client.write(answer);
        return;
      }
      this.#cuts -= 1;
      this.#lost += 1;
      end();
    });
  }
}
