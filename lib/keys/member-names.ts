import { Fault } from './fault.js';
import { quoted } from './quoted.js';

/** A member's name and what canonical JSON writes before its value. */
export interface MemberName {
  readonly name: string;
  /** `{"name":`, for the first member. Ready-made, since each joint costs. */
  readonly opening: string;
  /** `,"name":`, for the others. */
  readonly label: string;
}

interface Remembered {
  readonly names: readonly string[];
  readonly sorted: readonly MemberName[];
}

/*
 * Objects of one kind have the same names in the same order, so most lists were seen just before. A
 * table of fixed size remembers the last list per slot: whatever comes in, it does not grow.
 */
const SLOTS = 256;
const MAX_REMEMBERED_NAMES = 64;
const MAX_REMEMBERED_LENGTH = 64;
const remembered: (Remembered | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);

/** The names in canonical order: sorted and quoted, or found so. */
export function memberNames(names: readonly string[]): readonly MemberName[] {
  const first = names[0];
  const last = names[names.length - 1];
  if (first === undefined || last === undefined) return [];
  // An empty name has no first character: NaN | 0 is 0.
  const initial = first.charCodeAt(0) | 0;
  const slot = (31 * names.length + 7 * first.length + 3 * last.length + initial) % SLOTS;
  const known = remembered[slot];
  if (known !== undefined && sameNames(known.names, names)) return known.sorted;
  // Without a comparer, sort() goes by UTF-16 code units: the order which RFC 8785, 3.2.3 asks for.
  const sorted = [...names].sort().map(toMemberName);
  if (isRememberable(names)) remembered[slot] = { names, sorted };
  return sorted;
}

function toMemberName(name: string): MemberName {
  const text = quoted(name);
  if (text === undefined) throw new Fault('has a member whose name is not well-formed UTF-16');
  return { name, opening: `{${text}:`, label: `,${text}:` };
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
