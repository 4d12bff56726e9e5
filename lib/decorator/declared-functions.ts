import type { Declaration } from '../execution/declaration.js';
import { recall, remember } from './own-metadata.js';

/** Filed in this process's own map alone: a tool that copies metadata copies no protection. */
const DECLARATION = Symbol.for('mayfly-idempotency.declaration');

/** The declaration behind a function that `@Idempotent` or `makeIdempotent` made, if they did. */
export function declarationOf(method: object): Declaration | undefined {
  return recall(DECLARATION, method) as Declaration | undefined;
}

export function fileDeclaration(method: object, declaration: Declaration): void {
  remember(DECLARATION, declaration, method);
}
