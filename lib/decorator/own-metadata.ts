import { processState } from '../configuration/process-state.js';

/*
 * What is known about decorated classes, for look-ups: in reflect-metadata where the user has loaded
 * it, so that other tools see and copy it, and always in this process's own map too. The polyfill may
 * be loaded later, or a second time with an empty memory; the map then still answers.
 */

/** The options of a decorated method: own metadata of (prototype or class, method name). */
export const OPTIONS = Symbol.for('mayfly-idempotency.options');
/**
 * The same for static methods with standard decorators, where both kinds are filed under the one
 * metadata object of their class.
 */
export const STATIC_OPTIONS = Symbol.for('mayfly-idempotency.static-options');
/** The defaults of a class: own metadata of the class, its prototype and its metadata object. */
export const CLASS_DEFAULTS = Symbol.for('mayfly-idempotency.class-defaults');

/** What is filed under a class itself and not under one of its members. */
const CLASS_LEVEL = Symbol.for('mayfly-idempotency.class-level');

type MemberName = string | symbol;

/** What of reflect-metadata is used here; absent where the user has not loaded it. */
interface MetadataFunctions {
  readonly defineMetadata?: (
    key: symbol,
    value: unknown,
    target: object,
    member?: MemberName,
  ) => void;
  readonly getOwnMetadata?: (key: symbol, target: object, member?: MemberName) => unknown;
}

/** Files `value` under (`target`, `member`); without a member, under the target itself. */
export function defineOwnMetadata(
  key: symbol,
  value: unknown,
  target: object,
  member?: MemberName,
): void {
  (Reflect as MetadataFunctions).defineMetadata?.(key, value, target, member);
  remember(key, value, target, member);
}

/** What is filed under exactly (`target`, `member`): nothing is inherited. */
export function ownMetadata(key: symbol, target: object, member?: MemberName): unknown {
  return (
    (Reflect as MetadataFunctions).getOwnMetadata?.(key, target, member) ??
    recall(key, target, member)
  );
}

/** Files `value` in this process's own map alone, where no other tool sees or copies it. */
export function remember(key: symbol, value: unknown, target: object, member?: MemberName): void {
  const members = processState.metadata.get(target) ?? new Map<MemberName, Map<symbol, unknown>>();
  processState.metadata.set(target, members);
  const entries = members.get(member ?? CLASS_LEVEL) ?? new Map<symbol, unknown>();
  members.set(member ?? CLASS_LEVEL, entries);
  entries.set(key, value);
}

/** What {@link remember} has filed under exactly (`target`, `member`). */
export function recall(key: symbol, target: object, member?: MemberName): unknown {
  return processState.metadata
    .get(target)
    ?.get(member ?? CLASS_LEVEL)
    ?.get(key);
}
