import type * as nodeCrypto from 'node:crypto';
import type * as nodeV8 from 'node:v8';
import type * as nodeZlib from 'node:zlib';

/*
 * Modules of Node.js that are loaded when they are first used, not when this package is: `node:crypto`
 * alone takes longer at start than all of the core. The AWS SDK imports it, so programs with a
 * DynamoDB store have loaded it before the first call.
 */

let loadedCrypto: typeof nodeCrypto | undefined;

/** `node:crypto`. */
export function crypto(): typeof nodeCrypto {
  return (loadedCrypto ??= process.getBuiltinModule('node:crypto'));
}

/** `node:v8`. */
export function v8(): typeof nodeV8 {
  return process.getBuiltinModule('node:v8');
}

/** `node:zlib`. */
export function zlib(): typeof nodeZlib {
  return process.getBuiltinModule('node:zlib');
}
