import { processState } from '../configuration/process-state.js';
import type { Declaration } from './declaration.js';
import { idOfCall } from './key-of-call.js';
import { contextOf } from './lambda-context.js';
import { namespaceOf } from './namespace.js';

/**
 * The id of the record that a call has or would have, from the same steps that the call itself takes:
 * namespace, Lambda context, key. Nothing runs and no store is touched.
 *
 * @throws IdempotencyKeyError where there is no usable key; TypeError or RangeError where there is no
 * namespace.
 */
export function callId(declaration: Declaration, self: unknown, args: readonly unknown[]): string {
  const namespace = namespaceOf(declaration, self, processState.overrides?.getStore());
  const { argumentCount } = contextOf(declaration.options.context, self, args);
  return idOfCall(declaration, namespace, self, args, argumentCount);
}
