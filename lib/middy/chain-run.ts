import type { LambdaContextLike } from '../configuration/options.js';
import type { Settings } from '../configuration/settings.js';
import { isRecordableError } from '../execution/completion.js';
import { leaseFor, type Lease } from '../execution/lease.js';
import type { WatchedRequest } from './middy-shapes.js';
import { isStreamed, unrecordable } from './streamed-response.js';
import { watch } from './watch-request.js';

/** The chain goes on: its response or error is still to come. */
export const RUNNING = Symbol('running');

/** In the last moments of an invocation an error may be an early timeout's, and not the handler's. */
const EARLY_TIMEOUT_MS = 1000;
/** Lets a store with the widest usual clock skew see the claim as over. */
const LAPSED_MS = 2000;

export interface ChainRunDetails {
  readonly settings: Settings;
  readonly context: LambdaContextLike | undefined;
  readonly where: string;
}

/**
 * The part of a chain behind the middleware, as the one run that the engine knows: it begins when
 * `before` lets the chain go on, and ends with the first outcome that is seen.
 */
export class ChainRun {
  readonly #request: WatchedRequest;
  readonly #settings: Settings;
  readonly #where: string;
  readonly #lease: Lease;
  #resolve!: (response: unknown) => void;
  #reject!: (error: unknown) => void;
  readonly #end = new Promise<unknown>((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });
  #recorded: Promise<unknown> = Promise.resolve();
  /** Set with the run's end: resolves when the record is written or the key is free. */
  #settled: Promise<void> | undefined;

  constructor(request: WatchedRequest, { settings, context, where }: ChainRunDetails) {
    this.#request = request;
    this.#settings = settings;
    this.#where = where;
    this.#lease = leaseFor(settings.leaseMs, context, settings.clock);
  }

  /**
   * Starts the call. Resolves to {@link RUNNING} when it has the key, else to the recorded response.
   *
   * @throws What the call throws where the chain must not run.
   */
  async start(protectedCall: (chain: () => unknown) => Promise<unknown>): Promise<unknown> {
    let goOn!: (running: typeof RUNNING) => void;
    const running = new Promise<typeof RUNNING>((resolve) => (goOn = resolve));
    this.#recorded = protectedCall(() => {
      goOn(RUNNING);
      return this.#end;
    });
    const answer = await Promise.race([running, this.#recorded]);
    if (answer === RUNNING) watch(this.#request, this);
    return answer;
  }

  get isOver(): boolean {
    return this.#settled !== undefined;
  }

  /**
   * The chain has responded: records it.
   *
   * @throws What a method's caller gets where recording failed: IdempotencyClaimLostError, say.
   */
  succeed(response: unknown): Promise<void> {
    this.#settled ??= this.#record(response);
    return this.#settled;
  }

  /** The chain has thrown: frees the key, unless the handler may still be running. */
  fail(error: unknown): Promise<void> {
    this.#settled ??= this.#mayStillRun(error) ? this.#freeOnceLapsed(error) : this.#free(error);
    return this.#settled;
  }

  async #record(response: unknown): Promise<void> {
    const streamed = isStreamed(response);
    this.#resolve(streamed ? unrecordable(response) : response);
    await this.#recorded;
    if (streamed) {
      throw new TypeError(
        `Expected a response that can be recorded, got a stream (${this.#where})`,
      );
    }
  }

  async #free(error: unknown): Promise<void> {
    this.#reject(error);
    // It rejects with the error that Middy is handling already.
    await Promise.allSettled([this.#recorded]);
  }

  /**
   * A key that is free while the handler runs would let a retry run it beside. The claim lapses by
   * itself with the invocation; only then is the call ended, so that nobody waits for it any more.
   */
  #freeOnceLapsed(error: unknown): Promise<void> {
    const { clock, onExpiredClaim } = this.#settings;
    // The lapsed claim is what says that an operator has to decide.
    if (onExpiredClaim === 'reject') return Promise.resolve();
    const { deadlineMs = 0, leaseMs } = this.#lease;
    const afterMs = Math.max(deadlineMs - clock.now(), leaseMs) + LAPSED_MS;
    clock
      .setTimer(() => {
        this.#reject(error);
      }, afterMs)
      .unref();
    return Promise.resolve();
  }

  #mayStillRun(error: unknown): boolean {
    if (isEarlyTimeout(error)) return true;
    const { deadlineMs } = this.#lease;
    if (deadlineMs === undefined) return false;
    const isLate = this.#settings.clock.now() > deadlineMs - EARLY_TIMEOUT_MS;
    return isLate && !isRecordableError(error, { settings: this.#settings });
  }
}

/** Whether it is Middy's own error for a handler that was given up on. */
function isEarlyTimeout(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TimeoutError') return false;
  return (error.cause as { package?: unknown } | undefined)?.package === '@middy/core';
}
