import { Fault } from './fault.js';

/** A member's name and what canonical JSON writes before its value. */
export interface MemberName {
  readonly name: string;
  /** `,"name":` in UTF-8. */
  readonly label: Uint8Array;
}

interface Remembered {
  readonly names: readonly string[];
  readonly sorted: readonly MemberName[];
}

/*
 * Objects of one kind have the same names in the same order, so most lists were seen just before. A
 * table of fixed size remembers them, two in each pair of slots: whatever comes in, it does not grow.
 */
const SLOT_BITS = 10;
const MAX_REMEMBERED_NAMES = 64;
const MAX_REMEMBERED_LENGTH = 64;
const remembered: (Remembered | undefined)[] = [];
remembered.length = 2 ** SLOT_BITS;

/** The names in canonical order: sorted and quoted, or found so. */
export function memberNames(names: readonly string[]): readonly MemberName[] {
  const slot = slotOf(names);
  const first = remembered[slot];
  if (first !== undefined && sameNames(first.names, names)) return first.sorted;
  const second = remembered[slot ^ 1];
  if (second !== undefined && sameNames(second.names, names)) return second.sorted;
  // Without a comparer, sort() goes by UTF-16 code units: the order which RFC 8785, 3.2.3 asks for.
  const sorted = [...names].sort().map(toMemberName);
  if (isRememberable(names)) {
    remembered[slot ^ 1] = first;
    remembered[slot] = { names, sorted };
  }
  return sorted;
}

function slotOf(names: readonly string[]): number {
  let mixed = names.length;
  for (const name of names) {
    // An empty name has no first character: NaN shifts to 0.
    mixed = (Math.imul(mixed, 31) + name.length + (name.charCodeAt(0) << 3)) | 0;
  }
  // Fibonacci hashing: short lists of short names would otherwise be neighbours.
  return Math.imul(mixed, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

function toMemberName(name: string): MemberName {
  if (!name.isWellFormed()) throw new Fault('has a member whose name is not well-formed UTF-16');
  return { name, label: Buffer.from(`,${JSON.stringify(name)}:`) };
}

function isRememberable(names: readonly string[]): boolean {
  return (
    names.length <= MAX_REMEMBERED_NAMES &&
    names.every((name) => name.length <= MAX_REMEMBERED_LENGTH)
  );
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
