import { IdempotencyClaimLostError } from '../../errors/index.js';
import { canonicalHash } from '../../keys/canonical-json.js';
import type { Claim } from '../../store/idempotency-store.js';
import type { Timer } from '../../time/clock.js';
import { keyOf, type Call } from '../call.js';

/** What a running method can know of its own execution. */
export interface CurrentExecution {
  /** The record's id: namespace and key. */
  readonly id: string;
  /** The key's part of the id: the key itself, or `sha256:` and its hash. */
  readonly key: string;
  /** Who this run is: random, another one for every attempt. */
  readonly claimToken: string;
  /**
   * Whether an earlier attempt was abandoned in mid-run: its side effects may have happened. Unknown
   * counts as `true`.
   */
  readonly takeover: boolean;
  /** When the claim ends unless it is renewed; moves on with each renewal. */
  readonly deadline: Date;
  /** Aborts when the claim is lost or its time ends. To pass on to `fetch` and the like. */
  readonly signal: AbortSignal;
  /**
   * A key for something that this method calls: the same for every attempt at this record, different
   * for each label, and not to be guessed backwards. 64 hexadecimal digits; made to be sent as a
   * payment provider's Idempotency-Key.
   *
   * @param label What the key is for, as in `'charge'`: not blank.
   * @throws TypeError for anything but a string with something in it.
   */
  downstreamKey(label: string): string;
}

/** The execution of one call; it ends with the method. */
export class Execution implements CurrentExecution {
  readonly #call: Call;
  readonly takeover: boolean;
  #endMs: number;
  #controller: AbortController | undefined;
  #timer: Timer | undefined;
  #ended = false;

  constructor(call: Call, claim: Claim) {
    this.#call = call;
    this.takeover = claim.tookOver;
    this.#endMs = claim.inProgressUntilMs;
  }

  get id(): string {
    return this.#call.id;
  }

  get key(): string {
    return keyOf(this.#call);
  }

  get claimToken(): string {
    return this.#call.token;
  }

  get deadline(): Date {
    return new Date(this.#endMs);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#watchEnd();
    }
    return this.#controller.signal;
  }

  downstreamKey(label: string): string {
    if (typeof label !== 'string' || label.trim() === '') {
      throw new TypeError(
        `Expected a label with something in it (downstreamKey in ${this.#call.method})`,
      );
    }
    return canonicalHash([this.#call.id, label], 'label');
  }

  /** The claim was renewed. */
  moveEnd(endMs: number): void {
    this.#endMs = endMs;
    if (this.#controller !== undefined) this.#watchEnd();
  }

  /** Somebody else has the key now. */
  lose(): void {
    this.#abort(new IdempotencyClaimLostError({ method: this.#call.method, id: this.#call.id }));
  }

  /** The method is over: whatever it left behind is not told any more. */
  end(): void {
    this.#ended = true;
    this.#timer?.cancel();
  }

  #watchEnd(): void {
    this.#timer?.cancel();
    if (this.#ended) return;
    const { clock } = this.#call.settings;
    this.#timer = clock.setTimer(
      () => {
        this.#abort(new DOMException('The claim ended before the method did', 'TimeoutError'));
      },
      Math.max(0, this.#endMs - clock.now()),
    );
    this.#timer.unref();
  }

  #abort(reason: Error): void {
    this.#timer?.cancel();
    // Asked for later, the signal is aborted from the start.
    this.#controller ??= new AbortController();
    this.#controller.abort(reason);
  }
}
