import type { IdempotencyStoreError, StoreOperation } from '../../errors/store-error.js';
import { settlesBefore, type Clock, type Expiring } from '../../time/clock.js';
import { msToSeconds } from '../../time/duration.js';
import { storeError, type RequestFailure } from '../request-failure.js';
import type { ScriptRunner } from './client.js';
import { describeFailure, isScriptMissing } from './redis-errors.js';
import type { Script } from './scripts.js';

export interface OperationSetting {
  readonly operation: StoreOperation;
  readonly id: string;
  readonly runner: ScriptRunner;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** What a script answered: a word, and what belongs to it. */
export type Answer = readonly [word: string, ...rest: string[]];

/**
 * One operation of the store, which is one script, within one time limit. Whatever the client does
 * wrong (throws, rejects with nothing, never answers), it ends in one typed rejection.
 */
export class Operation implements Expiring {
  readonly #setting: OperationSetting;
  readonly #controller = new AbortController();
  /** Whether a script may have been run that nobody has confirmed. */
  #maybeApplied = false;

  constructor(setting: OperationSetting) {
    this.#setting = setting;
  }

  /**
   * Runs `work`, at most for the time limit; nobody waits for the client any longer. The timer keeps
   * the process alive: somebody awaits its outcome.
   */
  within<T>(work: (operation: Operation) => Promise<T>): Promise<T> {
    const { clock, timeoutMs } = this.#setting;
    if (!(timeoutMs > 0)) return Promise.reject(this.#timedOut());
    return settlesBefore(work(this), timeoutMs, clock, this);
  }

  expire(reject: (error: Error) => void): void {
    this.#controller.abort();
    // A client that has not sent the request yet rejects it at once: then it is known that
    // nothing was applied, and the engine need not give back a claim that was never made.
    setImmediate(() => {
      reject(this.#timedOut());
    });
  }

  /** Runs a script by its digest, and by its source where the server has not seen it yet. */
  async run(script: Script, key: string, args: readonly string[]): Promise<Answer> {
    const { runner } = this.#setting;
    const { signal } = this.#controller;
    try {
      return await this.#send(script, () => runner.evalSha(script.sha1, key, args, signal));
    } catch (error) {
      if (!isScriptMissing((error as Error).cause)) throw error;
      return this.#send(script, () => runner.eval(script.source, key, args, signal));
    }
  }

  async #send(script: Script, request: () => unknown): Promise<Answer> {
    const { operation, runner } = this.#setting;
    const before = this.#maybeApplied;
    try {
      const promise = request();
      this.#maybeApplied = operation !== 'get';
      if (typeof (promise as PromiseLike<unknown> | undefined)?.then !== 'function') {
        throw new TypeError('The client returned no promise');
      }
      return answerOf(await promise, script);
    } catch (error) {
      if (isScriptMissing(error)) this.#maybeApplied = before;
      const failure = describeFailure(error);
      // A client that sends requests again hides the attempt that may have been applied; only an
      // error that the first attempt would have met as well says that it was not.
      const refused =
        failure.neverSent === true || (failure.refused && !(runner.resends && failure.retryable));
      if (refused) this.#maybeApplied = before;
      if (failure.neverSent === true && this.#controller.signal.aborted) throw this.#timedOut();
      throw this.#error(failure, error);
    }
  }

  #timedOut(): IdempotencyStoreError {
    const { timeoutMs, runner } = this.#setting;
    return this.#error({
      reason: `Redis did not answer within ${String(msToSeconds(Math.max(0, timeoutMs)))} s`,
      ...(runner.isOffline() && {
        hint: "The client has no connection: check the server, and the client's host, port, password and TLS settings",
      }),
      retryable: true,
      refused: false,
    });
  }

  #error(failure: RequestFailure, cause?: unknown): IdempotencyStoreError {
    const { operation, id } = this.#setting;
    return storeError(failure, cause, { operation, id, maybeApplied: this.#maybeApplied });
  }
}

/** A script's answer: text, or a list of it; bytes where the client is set to return such. */
function answerOf(reply: unknown, { answers }: Script): Answer {
  const [word, ...rest] = Array.isArray(reply) ? (reply as unknown[]).map(textOf) : [textOf(reply)];
  // No answer but the script's own counts as done: a client may be anything.
  if (word !== undefined && answers.includes(word)) return [word, ...rest];
  throw new TypeError('The client returned the answer of another request');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  throw new TypeError('The client returned an answer that is neither text nor bytes');
}
