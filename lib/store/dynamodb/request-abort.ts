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
  return isNodeClient(client) ? new PlainSignal() : new AbortController();
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

type Listener = Parameters<AbortSignal['addEventListener']>[1];

/**
 * As much of an `AbortSignal` as the SDK uses, whose earlier versions set `onabort`, and middlewares.
 * Its own controller: a request in flight then holds one object instead of two.
 */
class PlainSignal implements RequestAbort {
  aborted = false;
  reason: unknown;
  onabort: AbortSignal['onabort'] = null;
  #listeners: Listener[] | undefined;

  get signal(): this {
    return this;
  }

  addEventListener(_type: 'abort', listener: Listener): void {
    (this.#listeners ??= []).push(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners = this.#listeners?.filter((each) => each !== listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  /** Through a real one: it gives listeners their event, and none of them can keep it from the next. */
  abort(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = new DOMException('This operation was aborted', 'AbortError');
    const controller = new AbortController();
    controller.signal.onabort = this.onabort;
    this.#listeners?.forEach((listener) => {
      controller.signal.addEventListener('abort', listener);
    });
    this.#listeners = undefined;
    controller.abort(this.reason);
  }
}
