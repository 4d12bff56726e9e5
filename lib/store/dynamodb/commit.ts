import {
  GetItemCommand,
  TransactWriteItemsCommand,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { createHash } from 'node:crypto';
import { IdempotencyClaimLostError } from '../../errors/claim-lost-error.js';
import type { IdempotencyStoreError } from '../../errors/store-error.js';
import type { Claim, Commit } from '../idempotency-store.js';
import {
  cancellationOf,
  CONDITION_FAILED,
  isTransactionTooLarge,
  refusedWrites,
  transactionFailure,
  VALIDATION_FAILED,
  type Cancellation,
} from './commit-errors.js';
import { completionForm, type CompletionForm } from './completion.js';
import { Refusal, type Operation } from './operation.js';
import { claimTokenOf, isUnfinished } from './record-mapper.js';
import type { Requests } from './requests.js';
import type { TableLayout } from './table-layout.js';

/**
 * The longest `ClientRequestToken`, which is also the length of a UUID.
 * Source: Amazon DynamoDB API Reference, TransactWriteItems.
 */
const MAX_REQUEST_TOKEN_LENGTH = 36;

/** One form of a commit's request. */
interface Built {
  readonly input: TransactWriteItemsCommandInput;
  /** Builds the next smaller form; absent in the smallest. */
  readonly smaller?: () => Promise<Built>;
}

/**
 * Completes records together with the caller's own writes, one `TransactWriteItems` per commit. Its
 * request is built once: within ten minutes DynamoDB takes an equal request with an equal
 * `ClientRequestToken` for the same one, and refuses a token that comes with anything else.
 */
export class Commits {
  readonly #layout: TableLayout;
  readonly #requests: Requests;
  /** By the commit object, which is the same one in every repetition. */
  readonly #prepared = new WeakMap<Commit, PreparedCommit>();

  constructor(layout: TableLayout, requests: Requests) {
    this.#layout = layout;
    this.#requests = requests;
  }

  /**
   * @throws IdempotencyClaimLostError, IdempotencyCommitError, IdempotencyStoreError; none of them
   * carries an item.
   */
  async apply(commit: Commit, operation: Operation, table: string): Promise<void> {
    const prepared = this.#prepare(commit, table);
    for (;;) {
      const built = await prepared.current();
      try {
        const reply = await operation.write(new TransactWriteItemsCommand(built.input));
        // No answer to a transaction, but certainly no success.
        if (reply instanceof Refusal) throw new TypeError('The client refused a single write');
        return;
      } catch (error) {
        const failure = error as IdempotencyStoreError;
        const cancellation = cancellationOf(failure.cause);
        if (await this.#isAlreadyCommitted(commit, cancellation, operation, table)) return;
        if (built.smaller === undefined || !isTooLarge(commit, failure, cancellation)) {
          throw this.#verdict(commit, failure, cancellation);
        }
        // The method has succeeded: what it returned must not be too large to be recorded.
        prepared.shrink(built, built.smaller);
      }
    }
  }

  /**
   * Where the record refused: whether it is ours and completed, so that an earlier attempt was
   * applied and only its reply was lost.
   *
   * @throws IdempotencyClaimLostError where the record is gone or somebody else's.
   */
  async #isAlreadyCommitted(
    { outcome }: Commit,
    cancellation: Cancellation | undefined,
    operation: Operation,
    table: string,
  ): Promise<boolean> {
    const reason = cancellation?.reasons[0];
    if (outcome === undefined || reason?.code !== CONDITION_FAILED) return false;
    const { id, token } = outcome.claim;
    const item = reason.item ?? (await this.#read(operation, table, id));
    if (item === undefined || claimTokenOf(item, this.#layout) !== token) {
      throw new IdempotencyClaimLostError({ id });
    }
    return !isUnfinished(item, this.#layout);
  }

  #verdict(
    { outcome }: Commit,
    failure: IdempotencyStoreError,
    cancellation: Cancellation | undefined,
  ): Error {
    if (cancellation === undefined) return transactionFailure(failure);
    return refusedWrites(cancellation, failure, outcome?.claim.id);
  }

  #prepare(commit: Commit, table: string): PreparedCommit {
    let prepared = this.#prepared.get(commit);
    if (prepared === undefined) {
      prepared = new PreparedCommit(this.#build(commit, table));
      this.#prepared.set(commit, prepared);
    }
    return prepared;
  }

  async #build({ token, outcome, writes }: Commit, table: string): Promise<Built> {
    const own = writes as readonly TransactWriteItem[];
    if (outcome === undefined) {
      return { input: { TransactItems: [...own], ClientRequestToken: requestToken(token) } };
    }
    const { claim, completion } = outcome;
    const build = (form: CompletionForm, step: number): Built => {
      const { smaller } = form;
      const Update = this.#requests.commit(table, claim, form);
      return {
        input: {
          TransactItems: [{ Update }, ...own],
          // Another form is another request, and a token stands for one request only.
          ClientRequestToken: requestToken(step === 0 ? token : `${token}#${String(step)}`),
        },
        ...(smaller && { smaller: async () => build(await smaller(), step + 1) }),
      };
    };
    return build(await completionForm(claim, completion, this.#layout), 0);
  }

  async #read(operation: Operation, table: string, id: Claim['id']): Promise<unknown> {
    const output = await operation.read(new GetItemCommand(this.#requests.get(table, id)));
    return output.Item ?? undefined;
  }
}

/** One commit in the largest form that has not proved too large: for all attempts the same request. */
class PreparedCommit {
  #built: Promise<Built>;
  #tooLarge: Built | undefined;

  constructor(largest: Promise<Built>) {
    this.#built = largest;
  }

  current(): Promise<Built> {
    return this.#built;
  }

  /** Goes on to the next smaller form, once, however many attempts found `built` too large. */
  shrink(built: Built, smaller: () => Promise<Built>): void {
    if (this.#tooLarge === built) return;
    this.#tooLarge = built;
    this.#built = smaller();
  }
}

function isTooLarge(
  { outcome }: Commit,
  failure: IdempotencyStoreError,
  cancellation: Cancellation | undefined,
): boolean {
  if (outcome === undefined) return false;
  if (cancellation === undefined) return isTransactionTooLarge(failure.cause);
  return cancellation.reasons[0]?.code === VALIDATION_FAILED;
}

function requestToken(token: string): string {
  if (token !== '' && token.length <= MAX_REQUEST_TOKEN_LENGTH) return token;
  return createHash('sha256').update(token).digest('hex').slice(0, MAX_REQUEST_TOKEN_LENGTH);
}
