import type { ALBEvent, LambdaFunctionURLEventWithIAMAuthorizer, SQSEvent } from 'aws-lambda';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordId } from '../../lib/keys/record-id.js';

/** Events that only the specs of this folder look at; a fresh copy at each call. */
export const moreEvents = {
  fifo: () => read<SQSEvent>('sqs-fifo'),
  alb: () => read<ALBEvent>('alb'),
  albMultiValue: () => read<ALBEvent>('alb-multi-value'),
  functionUrl: () => read<LambdaFunctionURLEventWithIAMAuthorizer>('function-url'),
};

function read<E>(name: string): E {
  const file = join(__dirname, '..', 'examples', 'events', `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as E;
}

/** The id of a record with that key: what tells two calls apart, or does not. */
export function idOf(key: unknown): string {
  return recordId('orders', key, 'Orders.place');
}

/** The error that `run` throws. */
export function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown');
}
