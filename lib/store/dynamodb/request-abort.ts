import type { DynamoDBClientLike } from './client.js';

/** Aborts the requests of one operation. */
export interface RequestAbort {
  /** What `client.send` takes as `abortSignal`. */
  readonly signal: object;
  abort(): void;
}

/**
 * Makes what aborts requests of `client`. The SDK's request handlers for Node.js read a signal as any
 * object that has listeners; a real `AbortSignal` costs such a client a twentieth of its time per
 * request. Every other handler gets the real one: `fetch` takes nothing else.
 */
export function requestAbort(client: DynamoDBClientLike): RequestAbort {
  return isNodeClient(client) ? new PlainAbort() : new AbortController();
}

/** NodeHttpHandler and NodeHttp2Handler name their protocol; a handler around `fetch` does not. */
function isNodeClient(client: DynamoDBClientLike): boolean {
  const { config } = client as { readonly config?: NodeConfig };
  const protocol = config?.requestHandler?.metadata?.handlerProtocol;
  return protocol === 'http/1.1' || protocol === 'h2';
}

interface NodeConfig {
  readonly requestHandler?: { readonly metadata?: { readonly handlerProtocol?: unknown } };
}

class PlainAbort implements RequestAbort {
  readonly signal = new PlainSignal();

  abort(): void {
    this.signal.fire();
  }
}

type Listener = () => void;

/** As much of an `AbortSignal` as the SDK uses; its earlier versions set `onabort`. */
class PlainSignal {
  aborted = false;
  readonly reason: undefined;
  onabort: Listener | null = null;
  #listeners: Listener[] = [];

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener);
  }

  fire(): void {
    if (this.aborted) return;
    this.aborted = true;
    const listeners = this.#listeners;
    this.#listeners = [];
    this.onabort?.();
    for (const listener of listeners) listener();
  }
}
