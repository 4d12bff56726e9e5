import {
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { types } from 'node:util';
import { IdempotencyClaimLostError } from '../../errors/claim-lost-error.js';
import type { StoreOperation } from '../../errors/store-error.js';
import { systemClock, type Clock } from '../../time/clock.js';
import { secondsToMs } from '../../time/duration.js';
import {
  type Claim,
  type ClaimOutcome,
  type ClaimRequest,
  type Commit,
  type Completion,
  type ForgetOptions,
  type IdempotencyRecord,
  type IdempotencyStore,
  type OperationLimits,
} from '../idempotency-store.js';
import { clientOpener, type DynamoDBClientLike } from './client.js';
import { Commits } from './commit.js';
import { completionForm } from './completion.js';
import { Operation, Refusal } from './operation.js';
import { finishedRecord } from './read-first.js';
import { claimTokenOf, isUnfinished, recordFromItem } from './record-mapper.js';
import { Requests } from './requests.js';
import { unpackedRecord } from './packed-result.js';
import { isItemTooLarge } from './store-errors.js';
import { checkStoreOptions, type DynamoDBStoreOptions } from './store-options.js';
import { TableLayout } from './table-layout.js';
import { noTable, tableFinder } from './table-name.js';

const WHERE = 'DynamoDBStore';

/**
 * Keeps the records in a DynamoDB table: one item per id, one conditional write per step of the
 * protocol. The table needs the partition key `id` (String) and, so that old records go, TTL on
 * `expires_at`: `createIdempotencyTable` makes both. Actions it needs: `dynamodb:GetItem`,
 * `PutItem`, `UpdateItem`, `DeleteItem`.
 *
 * A claim is one request, as is every other operation; where the engine does not return the item
 * that refused a write (some emulators), a consistent read follows; `readFirst` puts a read before
 * it. One store serves any number of methods at the same time. Table and client are looked up at the
 * first use.
 *
 * @throws TypeError or RangeError when an option is wrong.
 *
 * @example
 * ```ts
 * const store = new DynamoDBStore({ table: 'idempotency', clockSkew: 2 });
 * configureIdempotency({ store });
 * ```
 */
export class DynamoDBStore implements IdempotencyStore {
  /** The option `timeout` in milliseconds: after it every operation has settled. */
  readonly timeoutMs: number;
  readonly #openClient: () => DynamoDBClientLike;
  readonly #layout: TableLayout;
  readonly #requests: Requests;
  readonly #commits: Commits;
  readonly #clockSkewMs: number;
  readonly #readFirst: boolean;
  readonly #clock: Clock;
  readonly #findTable: () => string | undefined;

  constructor(options: DynamoDBStoreOptions = {}) {
    const settings = checkStoreOptions(options, WHERE);
    this.#openClient = clientOpener(options, WHERE);
    this.#layout = new TableLayout(options, WHERE, settings.keyPrefix);
    this.#requests = new Requests(this.#layout, settings.clockSkewMs);
    this.#commits = new Commits(this.#layout, this.#requests);
    this.#clockSkewMs = settings.clockSkewMs;
    this.timeoutMs = settings.timeoutMs;
    this.#readFirst = settings.readFirst;
    this.#clock = options.clock ?? systemClock;
    this.#findTable = tableFinder(settings.table);
  }

  claim(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome> {
    return this.#readFirst ? this.#readAndClaim(request, limits) : this.#claim(request, limits);
  }

  /**
   * The read is an operation of its own with half of the time: the claim has the other half at
   * least, and is never sent after its caller was told that nothing was.
   */
  async #readAndClaim(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome> {
    const { id, nowMs } = request;
    const timeoutMs = Math.min(this.timeoutMs, limits?.timeoutMs ?? Infinity);
    const readMs = timeoutMs / 2;
    const startedMs = this.#clock.now();
    const record = await finishedRecord(
      () =>
        this.#run('claim', request, { timeoutMs: readMs }, async (operation, table) => {
          const input = this.#requests.readFirst(table, id);
          const output = await operation.read(new GetItemCommand(input));
          return this.#record(output.Item ?? undefined, id);
        }),
      nowMs,
    );
    if (record !== undefined) return { claimed: false, record };
    // The time of day may jump; the read took between nothing and all of its time.
    const elapsedMs = Math.min(Math.max(0, this.#clock.now() - startedMs), readMs);
    return this.#claim(request, { timeoutMs: timeoutMs - elapsedMs });
  }

  #claim(request: ClaimRequest, limits?: OperationLimits): Promise<ClaimOutcome> {
    return this.#run('claim', request, limits, async (operation, table) => {
      const { id, token, inProgressUntilMs } = request;
      const expiresAt = this.#requests.claimExpiry(request);
      const reply = await operation.write(
        new PutItemCommand(this.#requests.claim(table, request, expiresAt)),
      );
      if (reply instanceof Refusal) {
        const item = reply.item ?? (await this.#read(operation, table, id));
        return { claimed: false, record: await this.#record(item, id) };
      }
      const replaced = reply.Attributes ?? undefined;
      const tookOver = replaced !== undefined && isUnfinished(replaced, this.#layout);
      const claim: Claim =
        expiresAt === undefined
          ? { id, token, inProgressUntilMs, tookOver }
          : { id, token, inProgressUntilMs, tookOver, expiresAtMs: secondsToMs(expiresAt) };
      return { claimed: true, claim };
    });
  }

  renew(claim: Claim, inProgressUntilMs: number, limits?: OperationLimits): Promise<void> {
    return this.#run('renew', claim, limits, async (operation, table) => {
      const { id, token } = claim;
      const reply = await operation.write(
        new UpdateItemCommand(this.#requests.renew(table, claim, inProgressUntilMs)),
      );
      if (!(reply instanceof Refusal)) return;
      const item = reply.item ?? (await this.#read(operation, table, id));
      // Ours and refused: a later renewal was faster, or the record is completed. Not lost.
      if (item === undefined || claimTokenOf(item, this.#layout) !== token) {
        throw new IdempotencyClaimLostError({ id });
      }
    });
  }

  complete(claim: Claim, completion: Completion, limits?: OperationLimits): Promise<void> {
    return this.#run('complete', claim, limits, async (operation, table) => {
      const { id } = claim;
      const largest = completionForm(claim, completion, this.#layout);
      let form = types.isPromise(largest) ? await largest : largest;
      for (;;) {
        try {
          const reply = await operation.write(
            new UpdateItemCommand(this.#requests.complete(table, claim, form)),
          );
          if (reply instanceof Refusal) throw new IdempotencyClaimLostError({ id });
          return;
        } catch (error) {
          // The engine has the last word on an item's size: go on to the next smaller form.
          if (form.smaller === undefined || !isItemTooLarge((error as Error).cause)) throw error;
          form = await form.smaller();
        }
      }
    });
  }

  release(claim: Pick<Claim, 'id' | 'token'>, limits?: OperationLimits): Promise<void> {
    return this.#run('release', claim, limits, async (operation, table) => {
      const { id, token } = claim;
      // Refused: gone, completed or somebody else's. All of that is fine for one who lets go.
      await operation.write(new DeleteItemCommand(this.#requests.release(table, id, token)));
    });
  }

  /**
   * Completes the claim and applies the caller's writes in one `TransactWriteItems`, with the token
   * as its `ClientRequestToken`. Needs the permission of each write on its table (PutItem,
   * UpdateItem, DeleteItem, ConditionCheckItem), and bills twice the write units of plain writes.
   * All tables have to be in one account and Region. The limits are DynamoDB's: 100 items, 4 MB.
   */
  async commit(commit: Commit, limits?: OperationLimits): Promise<void> {
    const id = commit.outcome?.claim.id ?? '';
    return this.#run('commit', { id }, limits, (operation, table) =>
      this.#commits.apply(commit, operation, table),
    );
  }

  get(id: string, limits?: OperationLimits): Promise<IdempotencyRecord | undefined> {
    return this.#run('get', { id }, limits, async (operation, table) =>
      this.#record(await this.#read(operation, table, id), id),
    );
  }

  forget(id: string, options: ForgetOptions = {}): Promise<boolean> {
    return this.#run('forget', { id }, undefined, async (operation, table) => {
      const nowMs = options.nowMs ?? this.#clock.now();
      const input =
        options.force === true
          ? this.#requests.forgetAnyway(table, id)
          : this.#requests.forget(table, id, nowMs);
      const reply = await operation.write(new DeleteItemCommand(input));
      return !(reply instanceof Refusal) && (reply.Attributes ?? undefined) !== undefined;
    });
  }

  async #read(operation: Operation, table: string, id: string): Promise<unknown> {
    const output = await operation.read(new GetItemCommand(this.#requests.get(table, id)));
    return output.Item ?? undefined;
  }

  #record(item: unknown, id: string): IdempotencyRecord | Promise<IdempotencyRecord> | undefined {
    if (item === undefined) return undefined;
    return unpackedRecord(recordFromItem(item, id, this.#layout, this.#clockSkewMs));
  }

  /** @param target What is operated on, unread: whoever calls wrongly gets a rejection too. */
  #run<T>(
    name: StoreOperation,
    target: { readonly id: string },
    limits: OperationLimits | undefined,
    work: (operation: Operation, table: string) => Promise<T>,
  ): Promise<T> {
    try {
      const table = this.#findTable();
      if (table === undefined) throw noTable(name, target.id);
      const operation = new Operation({
        operation: name,
        target,
        table,
        openClient: this.#openClient,
        clock: this.#clock,
        timeoutMs: Math.min(this.timeoutMs, limits?.timeoutMs ?? Infinity),
      });
      return operation.within(() => work(operation, table));
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on
      return Promise.reject(error);
    }
  }
}
