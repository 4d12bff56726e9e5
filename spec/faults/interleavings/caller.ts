import { resolveSettings } from '../../../lib/configuration/settings.js';
import type { CallOutcome } from '../../../lib/execution/answer.js';
import type { Call } from '../../../lib/execution/call.js';
import { leaseFor } from '../../../lib/execution/lease.js';
import { execute } from '../../../lib/execution/protocol.js';
import type { IdempotencyStore } from '../../../lib/store/idempotency-store.js';
import { msToSeconds } from '../../../lib/time/duration.js';
import type { CallerPlan } from './plan.js';
import type { ModelProcess, World } from './world.js';

export const METHOD = 'Model.method';
export const KEY = 'order-1';

/** What became of a call. */
export type Settled =
  | { readonly kind: 'resolved'; readonly outcome: CallOutcome }
  | { readonly kind: 'rejected'; readonly error: unknown };

/** Who watches callers. */
export interface CallerObserver {
  bodyStarts(caller: Caller): void;
  settled(caller: Caller, settled: Settled): void;
}

/** One call of the method, from its beginning to what its caller gets. */
export class Caller {
  /** Its name is its claim token too. */
  readonly name: string;
  readonly plan: CallerPlan;
  readonly process: ModelProcess;
  /** What its method throws, where it throws. */
  readonly error: Error;
  readonly #store: IdempotencyStore;
  readonly #world: World;
  readonly #observer: CallerObserver;
  #proceed: (() => void) | undefined;

  state: 'idle' | 'called' | 'settled' = 'idle';
  body: 'none' | 'running' | 'returned' | 'threw' = 'none';
  /** The claim's outcome is not known to it and it runs all the same. */
  unprotected = false;
  /** Requests of its own that came to grief, and copies of them still adrift. */
  mishaps = 0;
  lastAnswerFailed = false;
  /** The table answered in time that somebody else has the key. */
  toldLost = false;
  /** When the call began. */
  startStep = 0;
  /** When it was over. */
  endStep = Infinity;

  constructor(
    name: string,
    plan: CallerPlan,
    process: ModelProcess,
    store: IdempotencyStore,
    world: World,
    observer: CallerObserver,
  ) {
    this.name = name;
    this.plan = plan;
    this.error = new Error(`error of ${name}`);
    this.process = process;
    this.#store = store;
    this.#world = world;
    this.#observer = observer;
  }

  get result(): string {
    return `result of ${this.name}`;
  }

  /** Whether its method came to something that is to be kept, a success in the first place. */
  get succeeded(): boolean {
    return this.body === 'returned' && this.plan.ending === 'returns';
  }

  get isIdle(): boolean {
    return this.state === 'idle' && !this.process.crashed;
  }

  get isPaused(): boolean {
    return this.#proceed !== undefined;
  }

  get isPending(): boolean {
    return this.state === 'called' && !this.process.crashed;
  }

  start(): void {
    this.state = 'called';
    this.startStep = this.#world.step;
    execute(this.#call()).then(
      (outcome) => {
        this.#settle({ kind: 'resolved', outcome });
      },
      (error: unknown) => {
        this.#settle({ kind: 'rejected', error });
      },
    );
  }

  /** What the method awaits has come. */
  proceed(): void {
    const proceed = this.#proceed;
    this.#proceed = undefined;
    proceed?.();
  }

  #settle(settled: Settled): void {
    this.state = 'settled';
    this.endStep = this.#world.step;
    this.#observer.settled(this, settled);
  }

  #call(): Call {
    const { plan, name, process } = this;
    const { clock } = process;
    const settings = resolveSettings([
      {
        ttl: msToSeconds(plan.ttlMs),
        renewFor: msToSeconds(plan.renewForMs),
        wait: msToSeconds(plan.waitMs),
        onExpiredClaim: plan.onExpiredClaim,
        onStoreUnavailable: plan.onStoreUnavailable,
        onCompletionFailure: plan.onCompletionFailure,
        recordResultIf: () => plan.ending !== 'returns-for-retry',
        recordErrorIf: () => plan.ending === 'throws-for-good',
        clock,
      },
    ]);
    const { remainingMs } = plan;
    const lease =
      remainingMs === undefined
        ? leaseFor(plan.leaseMs, undefined, clock)
        : leaseFor(undefined, { getRemainingTimeInMillis: () => remainingMs }, clock);
    return {
      method: METHOD,
      id: KEY,
      namespace: '',
      token: name,
      startedMs: clock.now(),
      settings,
      store: this.#store,
      lease,
      fingerprint: undefined,
      onReplay: undefined,
      run: () => this.#run(),
    };
  }

  async #run(): Promise<string> {
    this.body = 'running';
    this.#observer.bodyStarts(this);
    for (let pauses = 0; pauses < this.plan.pauses; pauses++) {
      await new Promise<void>((resolve) => {
        this.#proceed = resolve;
      });
    }
    this.#world.step++;
    if (this.plan.ending === 'throws' || this.plan.ending === 'throws-for-good') {
      this.body = 'threw';
      this.#world.tell(`${this.name}'s method throws`);
      throw this.error;
    }
    this.body = 'returned';
    this.#world.tell(`${this.name}'s method returns`);
    return this.result;
  }
}
