import { AssertionError } from 'chai';

/** An item of the table as plain values. */
export type Item = Readonly<Record<string, unknown>>;

/** What an item has to fit to. */
export interface Expected {
  readonly clockSkew: number;
  readonly ttl: number;
  /** What the method's successful runs returned, as JSON. */
  readonly results: readonly string[];
}

const common = ['id', 'status', 'v', 'claim_token', 'expires_at'];
const attributes: Readonly<Record<string, readonly string[]>> = {
  INPROGRESS: [...common, 'in_progress_until'],
  COMPLETED: [...common, 'completed_at', 'result'],
};

/**
 * Holds an item to the record's form: every attribute of its state and no other, a claim that
 * nothing sweeps before it lapses, and a result that a run of the method really returned. No item is
 * fine too.
 */
export function expectLegal(item: Item | undefined, expected: Expected): void {
  if (item === undefined) return;
  const status = String(item['status']);
  const names = attributes[status] ?? [];
  const has = Object.keys(item).sort();
  if (has.join() !== [...names].sort().join()) {
    throw illegal(`${status} with the attributes ${has.join(', ')}`);
  }
  const { expires_at: expiresAt, in_progress_until: untilS, completed_at: completedAt } = item;
  if (item['v'] !== 1) throw illegal('another version');
  if (!Number.isInteger(expiresAt)) throw illegal('an expiry that is no whole second');
  if (status === 'INPROGRESS') {
    if (Number(expiresAt) < Number(untilS) + expected.clockSkew) {
      throw illegal('a claim that may be swept before it lapses');
    }
    return;
  }
  if (Number(expiresAt) !== Math.ceil(Number(completedAt) + expected.ttl)) {
    throw illegal('an expiry that is not the ttl after the completion');
  }
  if (!expected.results.includes(String(item['result']))) {
    throw illegal('a result that no run returned');
  }
}

/** Holds two states of the table, one after the other and at the given time, to the protocol. */
export function expectLegalStep(
  from: Item | undefined,
  to: Item | undefined,
  nowMs: number,
  { clockSkew }: Expected,
): void {
  if (from === undefined) return;
  const now = nowMs / 1000 - clockSkew;
  if (from['status'] === 'COMPLETED') {
    const standing = Number(from['expires_at']) >= now;
    if (standing && !equal(from, to)) throw illegal('a finished record that was replaced');
    return;
  }
  const live = Number(from['in_progress_until']) >= now;
  if (!live || to === undefined) return;
  if (to['claim_token'] !== from['claim_token']) throw illegal('a live claim that changed hands');
  if (to['status'] !== 'INPROGRESS') return;
  if (Number(to['in_progress_until']) < Number(from['in_progress_until'])) {
    throw illegal('a claim that was shortened');
  }
  if (Number(to['expires_at']) < Number(from['expires_at'])) {
    throw illegal('a claim whose expiry moved back');
  }
}

function equal(one: Item, other: Item | undefined): boolean {
  return JSON.stringify(one, keys(one)) === JSON.stringify(other, keys(other));
}

function keys(item: Item | undefined): string[] {
  return Object.keys(item ?? {}).sort();
}

function illegal(what: string): Error {
  return new AssertionError(`Expected the table to be in a legal state, got ${what}`);
}
