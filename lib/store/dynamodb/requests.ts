import type {
  AttributeValue,
  DeleteItemCommandInput,
  GetItemCommandInput,
  PutItemCommandInput,
  Update,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { msToEpochSecondsRoundedUp } from '../../time/duration.js';
import { RecordStatus, type Claim, type ClaimRequest } from '../idempotency-store.js';
import type { CompletionForm } from './completion.js';
import { epochSecondsText } from './epoch-seconds.js';
import { Expressions } from './expressions.js';
import { RECORD_VERSION } from './record-mapper.js';
import type { TableLayout } from './table-layout.js';

/** Shared by all requests; the SDK only reads them. */
const IN_PROGRESS = { S: RecordStatus.IN_PROGRESS };
const VERSION = { N: String(RECORD_VERSION) };

/**
 * Builds the request of each step. Made once per store. Members are written out: a spread before
 * others makes an object that is slow to make and to read, and these are made for every call.
 */
export class Requests {
  readonly #layout: TableLayout;
  readonly #expressions: Expressions;
  readonly #clockSkewMs: number;

  constructor(layout: TableLayout, clockSkewMs: number) {
    this.#layout = layout;
    this.#expressions = new Expressions(layout);
    this.#clockSkewMs = clockSkewMs;
  }

  /**
   * The TTL attribute that a claim carries, in whole epoch seconds: its ttl, and never before its
   * own end. None under `onExpiredClaim: 'reject'`, where nothing may sweep it.
   */
  claimExpiry(request: ClaimRequest): number | undefined {
    if (request.onExpiredClaim === 'reject') return undefined;
    return Math.max(
      msToEpochSecondsRoundedUp(request.nowMs + request.ttlMs),
      this.#earliestExpiry(request.inProgressUntilMs),
    );
  }

  claim(TableName: string, request: ClaimRequest, expiresAt?: number): PutItemCommandInput {
    const { names } = this.#layout;
    const Item = this.#layout.key(request.id);
    Item[names.status] = IN_PROGRESS;
    Item[names.inProgressUntil] = { N: epochSecondsText(request.inProgressUntilMs) };
    Item[names.claimToken] = { S: request.token };
    Item[names.version] = VERSION;
    if (expiresAt !== undefined) Item[names.expiresAt] = { N: String(expiresAt) };
    if (request.fingerprint !== undefined) Item[names.fingerprint] = { S: request.fingerprint };
    const { claim, claimWithoutTakeover } = this.#expressions;
    const condition = request.onExpiredClaim === 'reject' ? claimWithoutTakeover : claim;
    return {
      TableName,
      Item,
      ConditionExpression: condition.ConditionExpression,
      ExpressionAttributeNames: condition.ExpressionAttributeNames,
      ExpressionAttributeValues: { ':now': this.#now(request.nowMs), ':inprogress': IN_PROGRESS },
      ReturnValues: 'ALL_OLD',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
  }

  renew(TableName: string, claim: Claim, untilMs: number): UpdateItemCommandInput {
    const { id, token, expiresAtMs } = claim;
    const update =
      expiresAtMs === undefined ? this.#expressions.renewWithoutExpiry : this.#expressions.renew;
    const values: Record<string, AttributeValue> = {
      ':until': { N: epochSecondsText(untilMs) },
      ':token': { S: token },
      ':inprogress': IN_PROGRESS,
    };
    if (expiresAtMs !== undefined) {
      const expiry = Math.max(
        msToEpochSecondsRoundedUp(expiresAtMs),
        this.#earliestExpiry(untilMs),
      );
      values[':expires'] = { N: String(expiry) };
    }
    return {
      TableName,
      Key: this.#layout.key(id),
      UpdateExpression: update.UpdateExpression,
      ConditionExpression: update.ConditionExpression,
      ExpressionAttributeNames: update.ExpressionAttributeNames,
      ExpressionAttributeValues: values,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
  }

  complete(TableName: string, claim: Claim, form: CompletionForm): UpdateItemCommandInput {
    const update = this.#expressions.complete(form.parts);
    return {
      TableName,
      Key: this.#layout.key(claim.id),
      UpdateExpression: update.UpdateExpression,
      ConditionExpression: update.ConditionExpression,
      ExpressionAttributeNames: update.ExpressionAttributeNames,
      ExpressionAttributeValues: form.values,
    };
  }

  /** {@link complete} as an item of a transaction: only while still in progress. */
  commit(TableName: string, claim: Claim, form: CompletionForm): Update {
    const { UpdateExpression, ConditionExpression, ExpressionAttributeValues, ...rest } =
      this.complete(TableName, claim, form);
    return {
      ...rest,
      UpdateExpression,
      ConditionExpression: `${String(ConditionExpression)} AND #status = :inprogress`,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ':inprogress': IN_PROGRESS },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    };
  }

  release(TableName: string, id: string, token: string): DeleteItemCommandInput {
    const { release } = this.#expressions;
    return {
      TableName,
      Key: this.#layout.key(id),
      ConditionExpression: release.ConditionExpression,
      ExpressionAttributeNames: release.ExpressionAttributeNames,
      ExpressionAttributeValues: { ':token': { S: token }, ':inprogress': IN_PROGRESS },
    };
  }

  get(TableName: string, id: string): GetItemCommandInput {
    return { TableName, Key: this.#layout.key(id), ConsistentRead: true };
  }

  /** The read before a claim: half the price, and possibly a moment behind. */
  readFirst(TableName: string, id: string): GetItemCommandInput {
    return { TableName, Key: this.#layout.key(id), ConsistentRead: false };
  }

  forget(TableName: string, id: string, nowMs: number): DeleteItemCommandInput {
    return {
      ...this.forgetAnyway(TableName, id),
      ...this.#expressions.forget,
      ExpressionAttributeValues: { ':now': this.#now(nowMs), ':inprogress': IN_PROGRESS },
    };
  }

  forgetAnyway(TableName: string, id: string): DeleteItemCommandInput {
    return { TableName, Key: this.#layout.key(id), ReturnValues: 'ALL_OLD' };
  }

  /** The caller's clock less the skew: what every comparison with somebody else's times uses. */
  #now(nowMs: number): { N: string } {
    return { N: epochSecondsText(nowMs - this.#clockSkewMs) };
  }

  /** In whole epoch seconds; before it, no claim that ends at `untilMs` may be swept. */
  #earliestExpiry(untilMs: number): number {
    return msToEpochSecondsRoundedUp(untilMs + this.#clockSkewMs);
  }
}
