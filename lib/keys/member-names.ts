import { Fault } from './fault.js';
import { quoted } from './quoted.js';

/** The member names of one kind of object, as canonical JSON writes them. */
export interface MemberNames {
  readonly sorted: readonly string[];
  /** `"name":`, in the order of {@link sorted}. */
  readonly labels: readonly string[];
}

interface RememberedNames extends MemberNames {
  readonly names: readonly string[];
}

/*
 * Objects of one kind have the same names in the same order, so most lists were seen just before. A
 * table of fixed size remembers the last list per slot: whatever comes in, it does not grow.
 */
const SLOTS = 256;
const MAX_REMEMBERED_NAMES = 64;
const MAX_REMEMBERED_LENGTH = 64;
const remembered: (RememberedNames | undefined)[] = new Array<undefined>(SLOTS).fill(undefined);

const NONE: MemberNames = { sorted: [], labels: [] };

/** Sorts and quotes `names`, or finds them sorted and quoted. */
export function memberNames(names: readonly string[]): MemberNames {
  const first = names[0];
  const last = names[names.length - 1];
  if (first === undefined || last === undefined) return NONE;
  const slot =
    (names.length * 31 + first.length * 7 + last.length * 3 + (first.charCodeAt(0) | 0)) % SLOTS;
  const known = remembered[slot];
  if (known !== undefined && sameNames(known.names, names)) return known;
  return prepare(names, slot);
}

function prepare(names: readonly string[], slot: number): MemberNames {
  // Without a comparer, sort() goes by UTF-16 code units: the order which RFC 8785, 3.2.3 asks for.
  const sorted = [...names].sort();
  const prepared = { names, sorted, labels: sorted.map(label) };
  const rememberable =
    names.length <= MAX_REMEMBERED_NAMES &&
    names.every((name) => name.length <= MAX_REMEMBERED_LENGTH);
  if (rememberable) remembered[slot] = prepared;
  return prepared;
}

function label(name: string): string {
  const text = quoted(name);
  if (text === undefined) throw new Fault('has a member whose name is not well-formed UTF-16');
  return `${text}:`;
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
