import type { IdempotencyStoreError, StoreOperation } from '../../errors/store-error.js';
import { settlesBefore, type Clock, type Expiring } from '../../time/clock.js';
import { msToSeconds } from '../../time/duration.js';
import { storeError, type RequestFailure } from '../request-failure.js';
import type { DynamoDBClientLike } from './client.js';
import { requestAbort, type RequestAbort } from './request-abort.js';
import { attemptsOf, describeFailure, isConditionRefused } from './store-errors.js';

/** A write that its condition refused, with the item that stood in the way where it came back. */
export class Refusal {
  readonly item: unknown;

  constructor(item: unknown) {
    this.item = item;
  }
}

/** The part of an output that this store reads. */
export interface Output {
  readonly Item?: unknown;
  readonly Attributes?: unknown;
}

export interface OperationSetting {
  readonly operation: StoreOperation;
  /** Whose id errors name. Not read before: a wrong caller's is `undefined`, and must reject. */
  readonly target: { readonly id: string };
  readonly table: string;
  /** Called at each request; making a client can throw. */
  readonly openClient: () => DynamoDBClientLike;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/**
 * One operation of the store, which is one request or two, within one time limit. Whatever the
 * client does wrong (throws, rejects with nothing, never answers), it ends in one typed rejection.
 */
export class Operation implements Expiring {
  readonly #setting: OperationSetting;
  #abort: RequestAbort | undefined;
  #timeIsUp = false;
  /** Whether a write may have been applied that nobody has confirmed. */
  #maybeApplied = false;

  constructor(setting: OperationSetting) {
    this.#setting = setting;
  }

  /**
   * Runs `work`, at most for the time limit. Then the requests are aborted, which neither undoes a
   * write nor binds a client that ignores the signal, so nobody waits for the client. The timer
   * keeps the process alive: somebody awaits its outcome.
   */
  within<T>(work: (operation: Operation) => Promise<T>): Promise<T> {
    const { clock, timeoutMs } = this.#setting;
    if (!(timeoutMs > 0)) return Promise.reject(this.#timedOut());
    return settlesBefore(work(this), timeoutMs, clock, this);
  }

  /** Rejects before the aborted request does: what that makes of an abort says less. */
  expire(reject: (error: Error) => void): void {
    reject(this.#timedOut());
    this.#timeIsUp = true;
    this.#abort?.abort();
  }

  /** Sends a reading command. */
  async read(command: object): Promise<Output> {
    const output = await this.#send(command, false);
    return output instanceof Refusal ? {} : output;
  }

  /** Sends a conditional write. */
  write(command: object): Promise<Output | Refusal> {
    return this.#send(command, true);
  }

  /** No async function: it would hold the command until the answer is there. */
  #send(command: object, writes: boolean): Promise<Output | Refusal> {
    const before = this.#maybeApplied;
    let sent = false;
    let answer: Promise<unknown>;
    try {
      const client = this.#setting.openClient();
      const sending = client.send(command, { abortSignal: this.#signalFor(client) });
      sent = true;
      if (writes) this.#maybeApplied = true;
      answer = Promise.resolve(sending);
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on
      answer = Promise.reject(error);
    }
    const fail = (error: unknown): Refusal => {
      const failure = describeFailure(error);
      // Of several attempts only the last one's fate is known: an earlier one may have been applied,
      // and its lost reply be the reason why the last was refused.
      const attempts = attemptsOf(error) ?? (failure.neverSent === true ? 1 : undefined);
      const refused = !sent || (attempts === 1 && failure.refused);
      if (writes) this.#maybeApplied = before || !refused;
      if (writes && isConditionRefused(error)) return new Refusal(error.Item ?? undefined);
      throw this.#error(failure, error);
    };
    return answer.then(
      (output) =>
        typeof output === 'object' && output !== null
          ? output
          : fail(new TypeError('The client returned no output')),
      fail,
    );
  }

  /** One signal for all requests of the operation; one that is made too late is aborted already. */
  #signalFor(client: DynamoDBClientLike): object {
    if (this.#abort === undefined) {
      this.#abort = requestAbort(client);
      if (this.#timeIsUp) this.#abort.abort();
    }
    return this.#abort.signal;
  }

  #timedOut(): IdempotencyStoreError {
    const seconds = String(msToSeconds(Math.max(0, this.#setting.timeoutMs)));
    return this.#error({
      reason: `DynamoDB did not answer within ${seconds} s`,
      retryable: true,
      refused: false,
    });
  }

  #error(failure: RequestFailure, cause?: unknown): IdempotencyStoreError {
    const { operation, table, target } = this.#setting;
    const { id } = target;
    return storeError(failure, cause, { operation, table, id, maybeApplied: this.#maybeApplied });
  }
}
