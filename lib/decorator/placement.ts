import { declarationOf } from './declared-functions.js';
import type { AnyFunction } from './wrap-method.js';

/*
 * What a decorator may sit on. Anything else is told when the class is defined: a method that is
 * silently left unprotected, or that hands out a generator per retry, would show in production.
 */

/** Names the switch that decides which arguments a decorator gets. */
const SWITCH =
  'the tsconfig switch "experimentalDecorators" (true: legacy decorators, false or absent: standard ones)';

const SUPPORTED =
  'supported are methods, static ones too, and with standard decorators #private methods and ' +
  `arrow-function properties; which kind is in use is decided by ${SWITCH}`;

/** How `awslambda.streamifyResponse` marks a handler; see AWS's Node.js runtime interface client. */
const LAMBDA_STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** @throws TypeError when `value` is no function whose result can be recorded. */
export function checkFunction(value: unknown, where: string): asserts value is AnyFunction {
  const found = unsuitable(value);
  if (found !== undefined) {
    throw new TypeError(`Expected a function that returns a promise, got ${found} (${where})`);
  }
}

function unsuitable(value: unknown): string | undefined {
  if (typeof value !== 'function') return value === null ? 'null' : nounFor(typeof value);
  const tag = Object.prototype.toString.call(value);
  if (tag === '[object GeneratorFunction]') return 'a generator';
  if (tag === '[object AsyncGeneratorFunction]') return 'an async generator';
  if (Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false) return 'a class';
  if (LAMBDA_STREAMING in value) {
    return 'a Lambda streaming handler, whose response cannot be recorded';
  }
  if (declarationOf(value) !== undefined) {
    return 'one that is idempotent already: two claims on one key would wait for each other';
  }
  return undefined;
}

function nounFor(type: string): string {
  return type === 'undefined' ? type : `${type === 'object' ? 'an' : 'a'} ${type}`;
}

/** @throws TypeError for a member that a decorator cannot wrap. */
export function misplaced(found: string, where: string, advice = SUPPORTED): TypeError {
  return new TypeError(
    `Expected a method that returns a promise, got ${found}; ${advice} (${where})`,
  );
}

/** Legacy decorators get no hold of a property's value: it is assigned in the constructor. */
export function legacyProperty(where: string): TypeError {
  return misplaced(
    'a property',
    where,
    'with legacy decorators only methods can be decorated. Write it as a method, ' +
      `or switch to standard decorators (${SWITCH}), or wrap the function: makeIdempotent(fn, options)`,
  );
}

/** The arguments are those of neither dialect. */
export function unknownDialect(args: readonly unknown[], where: string): TypeError {
  const got = args.map((arg) => (arg === null ? 'null' : typeof arg)).join(', ');
  return new TypeError(
    `Expected the arguments of a legacy decorator (target, name, descriptor) or of a standard one (method, context), got (${got}). ` +
      `Check what compiles the class, and ${SWITCH} (${where})`,
  );
}

/** `@Decorator` where `@Decorator()` was meant. */
export function withoutParentheses(decorator: string, where: string): TypeError {
  return new TypeError(
    `Expected options or nothing, got what is to be decorated: write ${decorator}() with parentheses (${where})`,
  );
}

/**
 * Checks what TypeScript's `emitDecoratorMetadata` knows of a method's result, where
 * reflect-metadata is loaded. Unions, interfaces and missing annotations come out as `Object` or
 * nothing, and say nothing.
 *
 * @throws TypeError when the method returns no promise.
 */
export function checkReturnType(target: object, name: string | symbol, where: string): void {
  const { getOwnMetadata } = Reflect as {
    readonly getOwnMetadata?: (key: string, target: object, member: string | symbol) => unknown;
  };
  const type = getOwnMetadata?.('design:returntype', target, name);
  if (typeof type !== 'function' || type === Object) return;
  const prototype = type.prototype as { then?: unknown } | undefined;
  if (typeof prototype?.then === 'function') return;
  throw misplaced(`one that returns ${type.name}`, where, 'make it return a promise');
}
