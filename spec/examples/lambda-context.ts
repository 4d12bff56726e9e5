import type { Context } from 'aws-lambda';
import { randomUUID } from 'node:crypto';

/** A context as Lambda hands it to a handler that may run for `timeoutMs` more. */
export function lambdaContext(timeoutMs = 30_000): Context {
  const deadlineMs = Date.now() + timeoutMs;
  const context: Omit<Context, 'done' | 'fail' | 'succeed'> = {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'order-function',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:111122223333:function:order-function',
    memoryLimitInMB: '256',
    awsRequestId: randomUUID(),
    logGroupName: '/aws/lambda/order-function',
    logStreamName: '2026/05/18/[$LATEST]7c1e5a90d3b84f26',
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  };
  // The callbacks of Node.js 0.10 are still in the type; handlers that return promises use none.
  return context as Context;
}
