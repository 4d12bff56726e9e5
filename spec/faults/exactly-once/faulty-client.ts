import type { DynamoDBClientLike } from '../../../lib/store/dynamodb/index.js';
import { makeSdkError } from '../../support/recording-client.js';
import { connectionLost } from '../../support/intercepted-store.js';

/** What may happen to a request. */
export const FAULTS = [
  'none',
  /** It never arrives. */
  'dropped',
  /** It is applied, and its reply is lost. */
  'reply-lost',
  /** Its caller gives up on it, and only then it arrives. */
  'late',
  /** It is slow, and its reply comes all the same. */
  'slow',
  'server-error',
  'server-error-applied',
  /** Another transaction is working on the item. */
  'conflict',
  'throttled',
] as const;

export type Fault = (typeof FAULTS)[number];

const LATE_MS = 120;
const SLOW_MS = 40;

/** A client whose requests meet the faults of a schedule, in order; afterwards all is well. */
export class FaultyClient implements DynamoDBClientLike {
  readonly #behind: DynamoDBClientLike;
  readonly #schedule: Fault[];
  readonly #underWay: Promise<unknown>[] = [];
  /** How many requests were asked for. */
  requests = 0;

  constructor(behind: DynamoDBClientLike, schedule: readonly Fault[]) {
    this.#behind = behind;
    this.#schedule = [...schedule];
  }

  async send(command: object): Promise<unknown> {
    this.requests += 1;
    // Without the caller's abort signal: a request that is given up may be applied all the same.
    const forward = () => this.#behind.send(command);
    switch (this.#schedule.shift() ?? 'none') {
      case 'none':
        return forward();
      case 'dropped':
        throw connectionLost();
      case 'reply-lost':
        await forward();
        throw connectionLost();
      case 'late':
        this.#underWay.push(after(LATE_MS).then(forward).catch(ignoreRefusal));
        throw connectionLost();
      case 'slow':
        await after(SLOW_MS);
        return forward();
      case 'server-error':
        throw serverError();
      case 'server-error-applied':
        await forward();
        throw serverError();
      case 'conflict':
        throw conflictFor(command);
      case 'throttled':
        throw makeSdkError('ProvisionedThroughputExceededException');
    }
  }

  /** Resolves when nothing that was given up can arrive any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A late request's refusal reaches nobody; what it did is in the table. */
function ignoreRefusal(error: unknown): void {
  const { name } = error as Error;
  if (!/ConditionalCheckFailed|TransactionCanceled|TransactionInProgress/.test(name)) throw error;
}

function serverError(): Error {
  return makeSdkError('InternalServerError', {
    $fault: 'server',
    $metadata: { httpStatusCode: 500, attempts: 1 },
  });
}

function conflictFor(command: object): Error {
  const { input } = command as { readonly input?: { readonly TransactItems?: readonly object[] } };
  if (input?.TransactItems === undefined) return makeSdkError('TransactionConflictException');
  return makeSdkError('TransactionCanceledException', {
    CancellationReasons: input.TransactItems.map((_item, index) => ({
      Code: index === 0 ? 'TransactionConflict' : 'None',
    })),
  });
}
