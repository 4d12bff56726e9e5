import { IdempotencyClaimLostError } from '../../errors/claim-lost-error.js';
import { isIdempotencyStoreError } from '../../errors/guards.js';
import type { StoreOperation } from '../../errors/store-error.js';
import { systemClock, type Clock } from '../../time/clock.js';
import type {
  Claim,
  ClaimOutcome,
  ClaimRequest,
  Completion,
  ForgetOptions,
  IdempotencyRecord,
  IdempotencyStore,
  OperationLimits,
} from '../idempotency-store.js';
import { scriptRunner, type ScriptRunner } from './client.js';
import { Operation } from './operation.js';
import {
  claimFields,
  completionFields,
  recordFromFields,
  resultBytes,
  timeText,
} from './record-fields.js';
import { isRequestTooLarge } from './redis-errors.js';
import { scripts } from './scripts.js';
import { checkStoreOptions, type RedisStoreOptions } from './store-options.js';

const WHERE = 'RedisStore';

/**
 * How long Redis keeps a record beyond its end, so that its clock decides nothing: it may run ahead
 * of the callers', or a replica with another clock may take over. Counted from the request's
 * arrival, by the server, so callers' and server's time of day need not agree at all.
 */
const KEPT_AFTER_EXPIRY_MS = 60_000;

/** An abandoned claim's owner may yet complete it, and its successor learns that it took over. */
const ABANDONED_CLAIM_KEPT_MS = 24 * 3600 * 1000;

/**
 * Keeps the records in Redis or Valkey: one hash per id, one atomic script with that one key per
 * step of the protocol, so a cluster will do. Each operation is one request, and one more where a
 * server sees the script for the first time.
 *
 * Redis can lose a write that it has confirmed, in a failover or a crash; DynamoDB does not. What is
 * lost is run again. The server must not evict records: `maxmemory-policy noeviction`. It must know
 * effects replication (Redis 5 or later; Valkey).
 *
 * @throws TypeError or RangeError when an option is wrong.
 *
 * @example
 * ```ts
 * const client = createClient({ url: process.env.REDIS_URL }); // of the package redis
 * client.on('error', log);
 * await client.connect();
 * configureIdempotency({ store: new RedisStore({ client }) });
 * ```
 */
export class RedisStore implements IdempotencyStore {
  /** The option `timeout` in milliseconds: after it every operation has settled. */
  readonly timeoutMs: number;
  readonly #runner: ScriptRunner;
  readonly #clock: Clock;
  readonly #clockSkewMs: number;
  readonly #keyPrefix: string;
  readonly #maxResultBytes: number;

  constructor(options: RedisStoreOptions) {
    const settings = checkStoreOptions(options, WHERE);
    this.#runner = scriptRunner(options.client, options.clientKind, WHERE);
    this.#clock = options.clock ?? systemClock;
    this.#clockSkewMs = settings.clockSkewMs;
    this.timeoutMs = settings.timeoutMs;
    this.#keyPrefix = settings.keyPrefix;
    this.#maxResultBytes = settings.maxResultBytes;
  }

  async claim(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome> {
    const { id, token, nowMs, ttlMs, inProgressUntilMs, onExpiredClaim } = request;
    const expiresAtMs =
      onExpiredClaim === 'reject'
        ? undefined
        : Math.max(nowMs + ttlMs, this.#leastExpiry(inProgressUntilMs));
    const keptMs =
      expiresAtMs === undefined ? '' : this.#keptMs(expiresAtMs - nowMs, ABANDONED_CLAIM_KEPT_MS);
    const args = [onExpiredClaim, this.#judgedAt(nowMs), keptMs];
    const fields = claimFields(request, expiresAtMs);
    return this.#run('claim', id, limits, async (operation) => {
      const key = this.#key(id);
      const [word, ...rest] = await operation.run(scripts.claim, key, [...args, ...fields]);
      if (word === 'refused') return { claimed: false, record: this.#record(rest, id) };
      return {
        claimed: true,
        claim: {
          id,
          token,
          inProgressUntilMs,
          ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
          tookOver: rest[0] === '1',
        },
      };
    });
  }

  async renew(claim: Claim, inProgressUntilMs: number, limits?: OperationLimits): Promise<void> {
    const { id, token } = claim;
    const leastExpiryMs = this.#leastExpiry(inProgressUntilMs);
    const args = [token, timeText(inProgressUntilMs), timeText(leastExpiryMs)];
    return this.#run('renew', id, limits, async (operation) => {
      const [word] = await operation.run(scripts.renew, this.#key(id), args);
      if (word === 'lost') throw new IdempotencyClaimLostError({ id });
    });
  }

  async complete(claim: Claim, completion: Completion, limits?: OperationLimits): Promise<void> {
    const { id, token } = claim;
    const args = [token, this.#keptMs(completion.ttlMs, KEPT_AFTER_EXPIRY_MS)];
    const fits = resultBytes(completion.result) <= this.#maxResultBytes;
    const fields = completionFields(fits ? completion : withoutResult(completion));
    return this.#run('complete', id, limits, async (operation) => {
      const [word] = await operation
        .run(scripts.complete, this.#key(id), [...args, ...fields])
        .catch((error: unknown) => {
          // The method has succeeded by now: its result's size must not be a reason to fail.
          const tooLarge = isIdempotencyStoreError(error) && isRequestTooLarge(error.cause);
          if (!tooLarge || completion.result === undefined) throw error;
          const smaller = completionFields(withoutResult(completion));
          return operation.run(scripts.complete, this.#key(id), [...args, ...smaller]);
        });
      if (word === 'lost') throw new IdempotencyClaimLostError({ id });
    });
  }

  async release(claim: Pick<Claim, 'id' | 'token'>, limits?: OperationLimits): Promise<void> {
    const { id, token } = claim;
    return this.#run('release', id, limits, async (operation) => {
      // Kept: gone, completed or somebody else's. All of that is fine for one who lets go.
      await operation.run(scripts.release, this.#key(id), [token]);
    });
  }

  async get(id: string, limits?: OperationLimits): Promise<IdempotencyRecord | undefined> {
    return this.#run('get', id, limits, async (operation) => {
      const [, ...fields] = await operation.run(scripts.get, this.#key(id), []);
      return this.#record(fields, id);
    });
  }

  async forget(id: string, options: ForgetOptions = {}): Promise<boolean> {
    const nowMs = options.nowMs ?? this.#clock.now();
    const args = [options.force === true ? 'force' : '', this.#judgedAt(nowMs)];
    return this.#run('forget', id, undefined, async (operation) => {
      const [word] = await operation.run(scripts.forget, this.#key(id), args);
      return word === 'removed';
    });
  }

  #key(id: string): string {
    return this.#keyPrefix + id;
  }

  #judgedAt(nowMs: number): string {
    return timeText(nowMs - this.#clockSkewMs);
  }

  #leastExpiry(inProgressUntilMs: number): number {
    return inProgressUntilMs + this.#clockSkewMs;
  }

  /** For how long Redis keeps a key whose record ends in `endsInMs` by its writer's clock. */
  #keptMs(endsInMs: number, beyondMs: number): string {
    // A reader's clock may be behind the writer's by the skew, and it waits for the skew besides.
    return timeText(Math.ceil(endsInMs) + 2 * this.#clockSkewMs + beyondMs);
  }

  #record(fields: readonly string[], id: string): IdempotencyRecord | undefined {
    return recordFromFields(fields, id, this.#clockSkewMs);
  }

  #run<T>(
    operation: StoreOperation,
    id: string,
    limits: OperationLimits | undefined,
    work: (operation: Operation) => Promise<T>,
  ): Promise<T> {
    return new Operation({
      operation,
      id,
      runner: this.#runner,
      clock: this.#clock,
      timeoutMs: Math.min(this.timeoutMs, limits?.timeoutMs ?? Infinity),
    }).within(work);
  }
}

function withoutResult({ result, encoding, ...rest }: Completion): Completion {
  return { ...rest, resultOmitted: 'too-large' };
}
