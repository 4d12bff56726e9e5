import type { DefaultOptions } from '../configuration/options.js';
import { processState } from '../configuration/process-state.js';
import { checkNamespace } from '../keys/namespace.js';
import type { Declaration } from './declaration.js';

/**
 * The namespace of a declaration's calls on `self`: what the method names, used as it is; else a
 * default in place of the class part; else the class and the method, under Lambda behind the
 * function's name, since several functions may share a table.
 *
 * @throws TypeError or RangeError when it has to be derived and cannot be.
 */
export function namespaceOf(
  declaration: Declaration,
  self: unknown,
  overrides: DefaultOptions | undefined,
): string {
  const { options, methodPart, where } = declaration;
  // Without a method there is nothing to put a default before: the bare key.
  if (methodPart === '') return options.namespace ?? '';
  if (overrides?.namespace === undefined && options.namespace !== undefined) {
    return options.namespace;
  }
  const classPart =
    overrides?.namespace ?? declaration.classNamespace(self) ?? processState.defaults.namespace;
  const namespace =
    classPart === undefined
      ? behindFunctionName(declaration.deriveNamespace(self))
      : `${classPart}.${methodPart}`;
  checkNamespace(namespace, where);
  return namespace;
}

function behindFunctionName(namespace: string): string {
  const functionName = process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? '';
  return functionName === '' ? namespace : `${functionName}/${namespace}`;
}
