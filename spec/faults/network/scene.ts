import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { setImmediate } from 'node:timers/promises';
import type { NamedStore, SharedOptions } from '../../../lib/configuration/options.js';
import { withIdempotency } from '../../../lib/configuration/with-idempotency.js';
import { isIdempotencyError, isIdempotencyStoreError } from '../../../lib/errors/index.js';
import { observeIdempotency } from '../../../lib/execution/events.js';
import type { Outcome } from '../../../lib/execution/outcome.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import { FaultyNetwork } from './faulty-network.js';
import { expectLegal, expectLegalStep, type Item } from './legal-item.js';
import type { NetworkBench } from './network-bench.js';
import { WatchedClock } from './watched-clock.js';
import type { IdempotencyStore } from '../../../lib/store/idempotency-store.js';

export const LEASE_S = 60;
export const CLOCK_SKEW_S = 1;
export const TTL_S = 3600;

/** The first moment at which nobody's claim may stand in the way any more. */
export const LEASE_AND_SKEW_MS = (LEASE_S + CLOCK_SKEW_S) * 1000 + 1;

/** Promise jobs and the SDK's own turns of the event loop between two requests. */
const QUIET_TURNS = 3;

export interface SceneOptions {
  readonly withholdsItems?: boolean;
  readonly readFirst?: boolean;
  /** The methods' options, where they differ from this file's. */
  readonly methods?: SharedOptions;
}

/** A run's body: gets the run's number. */
export type Body = (run: number) => unknown;

/**
 * One key, one clock, one faulty network. Callers are answered in words: `executed 1` is the result
 * of the first run, `replayed 1` that result again.
 */
export class Scene {
  readonly clock = new WatchedClock();
  readonly events: string[] = [];
  readonly network: FaultyNetwork;
  readonly key: string;
  readonly #bench: NetworkBench;
  readonly #store: DynamoDBStore;
  readonly #methods: SharedOptions;
  readonly #close: () => void;
  readonly #results: string[] = [];
  #runs = 0;
  #former: Item | undefined;

  private constructor(
    bench: NetworkBench,
    key: string,
    network: FaultyNetwork,
    client: DynamoDBClient,
    { readFirst = false, methods = {} }: SceneOptions,
  ) {
    this.#bench = bench;
    this.#methods = methods;
    this.key = key;
    this.network = network;
    this.#store = new DynamoDBStore({
      table: bench.table,
      client: { send: (command, options) => network.during(client.send(command, options)) },
      clock: this.clock,
      clockSkew: CLOCK_SKEW_S,
      readFirst,
    });
    const stop = observeIdempotency((event) => this.events.push(event.type));
    this.#close = () => {
      stop();
      client.destroy();
    };
  }

  static async on(bench: NetworkBench, key: string, options: SceneOptions): Promise<Scene> {
    const { client: plain, engine, proxy } = bench.running;
    const { withholdsItems = false } = options;
    const network = new FaultyNetwork(plain.config.requestHandler, {
      withholdsItems,
      cuttingPort: proxy.port,
    });
    const client = new DynamoDBClient({
      endpoint: engine.endpoint,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 3,
      requestHandler: network as never,
    });
    // The SDK's own strategy decides what is repeated; only its waits in real time are taken out.
    Object.assign(await client.config.retryStrategy(), {
      retryBackoffStrategy: { setDelayBase: () => undefined, computeNextBackoffDelay: () => 0 },
    });
    return new Scene(bench, key, network, client, options);
  }

  close(): void {
    this.#close();
  }

  /** How often the method ran. */
  get runs(): number {
    return this.#runs;
  }

  /** A call with this scene's key, in words. Without a body, the run succeeds at once. */
  async call(options: SharedOptions = {}, body: Body = () => undefined): Promise<string> {
    try {
      return inWords(await this.#outcome(options, body));
    } catch (error) {
      return errorInWords(error);
    }
  }

  #outcome(options: SharedOptions, body: Body): Promise<Outcome<unknown>> {
    const defaults: SharedOptions & NamedStore<IdempotencyStore> = {
      store: this.#store,
      clock: this.clock,
      lease: LEASE_S,
      ttl: TTL_S,
      ...this.#methods,
      ...options,
    };
    const run = async (): Promise<{ run: number }> => {
      this.#runs += 1;
      const result = { run: this.#runs };
      await body(result.run);
      this.#results.push(JSON.stringify(result));
      return result;
    };
    return withIdempotency(defaults, () =>
      runIdempotent({ orderId: this.key }, run, { key: (order) => order.orderId }),
    );
  }

  /** Lets everything happen that needs no time to pass. */
  async quiet(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) {
      await this.network.idle();
      await setImmediate();
    }
    await this.network.idle();
  }

  /** Lets time pass, never while a request is under way that is going to be answered. */
  async pass(ms: number): Promise<void> {
    const endMs = this.clock.now() + ms;
    await this.quiet();
    while (this.clock.now() < endMs) {
      await this.clock.advanceTo(Math.min(this.clock.nextDueMs, endMs));
      await this.quiet();
    }
  }

  /** Lets as much time pass as the promise needs. */
  async settled<T>(promise: Promise<T>): Promise<T> {
    const state = { pending: true };
    const settle = () => {
      state.pending = false;
    };
    void promise.then(settle, settle);
    await this.quiet();
    while (state.pending) {
      if (this.clock.pendingTimers === 0) throw new Error('It waits for nothing');
      await this.clock.advanceTo(this.clock.nextDueMs);
      await this.quiet();
    }
    return promise;
  }

  /** The item, held to what is legal at this moment and after the item that was seen before. */
  async legalItem(): Promise<Item | undefined> {
    const { ttl = TTL_S } = this.#methods;
    const expected = { clockSkew: CLOCK_SKEW_S, ttl, results: this.#results };
    const item = await this.#bench.item(this.key);
    expectLegal(item, expected);
    expectLegalStep(this.#former, item, this.clock.now(), expected);
    this.#former = item;
    return item;
  }

  /** The item that was seen last. */
  get lastItem(): Item | undefined {
    return this.#former;
  }

  /** Puts the claim of a process that is gone by now, and lets it lapse. */
  async abandonedClaim(): Promise<void> {
    const untilS = this.clock.now() / 1000 + LEASE_S;
    await this.#bench.put({
      id: this.key,
      status: 'INPROGRESS',
      in_progress_until: untilS,
      expires_at: Math.ceil(untilS + TTL_S),
      claim_token: 'somebody who is gone',
      v: 1,
    });
    await this.pass(LEASE_AND_SKEW_MS);
  }
}

function inWords(outcome: Outcome<unknown>): string {
  if (outcome.status === 'in-progress') return 'in-progress';
  return `${outcome.status} ${runOf(outcome.result)}`;
}

function errorInWords(error: unknown): string {
  if (!isIdempotencyError(error)) return (error as Error).message;
  const words: string[] = [error.code];
  if (isIdempotencyStoreError(error)) {
    words.push(error.operation, error.retryable ? 'retryable' : 'final');
  }
  if ('result' in error) words.push(`with result ${runOf(error.result)}`);
  return words.join(' ');
}

function runOf(result: unknown): string {
  return String((result as { run?: number } | undefined)?.run);
}
