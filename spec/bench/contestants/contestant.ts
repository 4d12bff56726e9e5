import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Order } from '../payloads.js';

export type ContestantName = 'by hand' | 'Powertools' | 'mayfly';

/** What is used of Lambda's. Powertools logs a warning at every call that has none. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

export type Call = (event: Order, context: LambdaContext) => Promise<unknown>;

export interface Task {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** What makes two calls one: `orderId`, or the whole event where no key is named. */
  readonly key: 'orderId' | 'event';
  /** What must happen once. */
  readonly run: Call;
  /** Whether finished results are also kept in the process. */
  readonly cache?: boolean;
}

/** One way to make a function idempotent, with the settings that are best for it. */
export interface Contestant {
  readonly name: ContestantName;
  protect(task: Task): Call;
}

export type Contestants = readonly [byHand: Contestant, powertools: Contestant, mayfly: Contestant];
