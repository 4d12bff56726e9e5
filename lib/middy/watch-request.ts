import type { WatchedRequest } from './middy-shapes.js';

/** Who wants to know how a chain ends. */
export interface ChainObserver {
  readonly isOver: boolean;
  succeed(response: unknown): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/**
 * Sees the ends of a chain that Middy tells no middleware of. Where a middleware responds early, or
 * throws in its `onError`, those added before it are passed over: the handler may have run, and the
 * `after` that would record it is never called.
 *
 * All that Middy does then shows on the request. An early response is assigned to `response` while
 * `earlyResponse` is there. An error is assigned to `error` once when the chain has thrown, and once
 * more when an `onError` has. Middy returns `response` from an async function, so that a promise in
 * its place makes the invocation wait for the record.
 */
export function watch(request: WatchedRequest, observer: ChainObserver): void {
  const response = propertyOf(request, 'response');
  const error = propertyOf(request, 'error');
  let thrown: { readonly error: unknown } | undefined;
  let answer: Promise<unknown> | undefined;

  const end = (value: unknown): void => {
    const settled = thrown === undefined ? observer.succeed(value) : observer.fail(thrown.error);
    // Middy must see an error that no `onError` has made a response of.
    if (thrown !== undefined && value === undefined) return;
    answer = settled.then(() => {
      answer = undefined;
      return value;
    });
  };

  define(request, 'response', {
    get: () => answer ?? response.get(),
    set: (value) => {
      response.set(value);
      const isEarly = 'earlyResponse' in request && value === request.earlyResponse;
      if (isEarly && !observer.isOver) end(value);
    },
  });
  define(request, 'error', {
    get: () => error.get(),
    set: (value) => {
      error.set(value);
      if (observer.isOver || value === undefined || value === null) return;
      if (thrown === undefined) thrown = { error: value };
      else void observer.fail(thrown.error);
    },
  });
}

interface Property {
  readonly get: () => unknown;
  readonly set: (value: unknown) => void;
}

/** A property as it is now; another watcher's keeps working behind this one. */
function propertyOf(request: WatchedRequest, name: 'response' | 'error'): Property {
  const inner = Object.getOwnPropertyDescriptor(request, name);
  if (inner?.set !== undefined) {
    return {
      get: () => inner.get?.call(request) as unknown,
      set: (given) => {
        inner.set?.call(request, given);
      },
    };
  }
  let held: unknown = request[name];
  return {
    get: () => held,
    set: (given) => {
      held = given;
    },
  };
}

function define(request: WatchedRequest, name: 'response' | 'error', property: Property): void {
  Object.defineProperty(request, name, { ...property, enumerable: true, configurable: true });
}
