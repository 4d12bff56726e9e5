import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Order } from '../examples/order.js';
import { deferred, type Deferred } from '../support/deferred.js';

/** One charge that waits for its answer. */
export interface HeldCharge {
  /** Resolves when the handler has asked for it. */
  readonly arrived: Promise<void>;
  answer(accepted: boolean): void;
}

interface PlannedCharge {
  readonly arrived: Deferred<void>;
  readonly answer: Deferred<boolean>;
}

/**
 * The payment service that all handlers ask, whatever process they run in: the side effect, counted
 * outside of them, and the place where a spec holds one up.
 */
export class Payments {
  readonly #server = createServer((request, response) => void this.#charge(request, response));
  readonly #planned = new Map<string, PlannedCharge[]>();
  readonly #asked: string[] = [];

  static async open(): Promise<Payments> {
    const payments = new Payments();
    payments.#server.listen(0, '127.0.0.1');
    await once(payments.#server, 'listening');
    return payments;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** How often the order's handler ran as far as the payment. */
  timesAsked(orderId: string): number {
    return this.#asked.filter((each) => each === orderId).length;
  }

  /** Holds the next charge of the order that nothing else is planned for. */
  hold(orderId: string): HeldCharge {
    const charge = { arrived: deferred(), answer: deferred<boolean>() };
    this.#planned.set(orderId, [...(this.#planned.get(orderId) ?? []), charge]);
    return {
      arrived: charge.arrived.promise,
      answer: (accepted) => {
        charge.answer.resolve(accepted);
      },
    };
  }

  /** Declines it at once. */
  decline(orderId: string): void {
    this.hold(orderId).answer(false);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #charge(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { orderId } = JSON.parse(await text(request)) as Order;
    this.#asked.push(orderId);
    const planned = this.#planned.get(orderId)?.shift();
    planned?.arrived.resolve();
    const accepted = planned === undefined || (await planned.answer.promise);
    response.writeHead(accepted ? 204 : 402).end();
  }
}
