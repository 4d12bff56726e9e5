import type { Line } from './journal.js';

/** What a run of the processes came to. */
export interface Figures {
  readonly calls: number;
  readonly executed: number;
  readonly replays: number;
  readonly inProgress: number;
  readonly failed: number;
  readonly errors: number;
  readonly takeovers: number;
  readonly lostClaims: number;
  readonly effects: number;
  /** Effects of attempts that crashed, or whose claim lapsed, before they were recorded. */
  readonly superseded: number;
  readonly kills: number;
  readonly freezes: number;
  readonly keys: number;
}

interface Attempt {
  readonly attempt: string;
  readonly pid: number;
  readonly startMs: number;
  untilMs: number;
  effects: number;
  completed: boolean;
  /** How the process told that it was over: it lost its claim, or was killed. */
  excused: boolean;
}

/**
 * Holds the log to the guarantee: per key one effect, apart from those of attempts that crashed or
 * lost their claim, and a later attempt only after the claim of the earlier one has ended; one
 * result for all callers.
 */
export function audit(lines: readonly Line[]): { figures: Figures; faults: readonly string[] } {
  const faults: string[] = [];
  const attempts = new Map<string, Map<string, Attempt>>();
  const results = new Map<string, Set<string>>();
  const killed = new Set(lines.filter(({ what }) => what === 'killed').map(({ pid }) => pid));
  const count = (...whats: readonly Line['what'][]): number =>
    lines.filter(({ what }) => whats.includes(what)).length;
  const attemptOf = (key: string, attempt: string): Attempt | undefined =>
    attempts.get(key)?.get(attempt);

  for (const line of lines) {
    switch (line.what) {
      case 'start': {
        const { key, attempt, pid, t: startMs, untilMs } = line;
        const ofKey = attempts.get(key) ?? new Map<string, Attempt>();
        attempts.set(key, ofKey);
        if (ofKey.has(attempt)) faults.push(`${key}: ${attempt} started twice`);
        const excused = killed.has(pid);
        ofKey.set(attempt, {
          attempt,
          pid,
          startMs,
          untilMs,
          effects: 0,
          completed: false,
          excused,
        });
        break;
      }
      case 'renewed': {
        const attempt = attemptOf(line.key, line.attempt);
        if (attempt) attempt.untilMs = Math.max(attempt.untilMs, line.untilMs);
        break;
      }
      case 'effect': {
        const attempt = attemptOf(line.key, line.attempt);
        if (attempt) attempt.effects += 1;
        else faults.push(`${line.key}: an effect without a start`);
        break;
      }
      case 'completed': {
        const attempt = attemptOf(line.key, line.attempt);
        if (attempt) complete(attempt);
        break;
      }
      case 'lost': {
        const attempt = attemptOf(line.key, line.result);
        if (attempt) attempt.excused = true;
        break;
      }
      case 'executed':
      case 'replayed':
        results.set(line.key, (results.get(line.key) ?? new Set()).add(line.result));
        break;
      default: // Only counted.
    }
  }

  let superseded = 0;
  for (const [key, ofKey] of attempts) {
    const effective = [...ofKey.values()].filter(({ effects }) => effects > 0);
    const told = results.get(key) ?? new Set<string>();
    if (told.size > 1) faults.push(`${key}: callers got ${String(told.size)} results`);
    const [result] = told;
    if (result !== undefined) {
      const recorded = ofKey.get(result);
      if (recorded?.effects !== 1) faults.push(`${key}: the recorded attempt has not one effect`);
      // Killed before it could tell that it was recorded.
      if (recorded !== undefined) complete(recorded);
    }
    // An attempt that the record tells of is the one; all others need an excuse.
    const others = effective.filter(({ attempt }) => attempt !== result);
    superseded += others.length;
    for (const { attempt, excused, completed } of others) {
      if (completed) faults.push(`${key}: ${attempt} was recorded and others got something else`);
      else if (!excused) faults.push(`${key}: a second effect, by ${attempt}, without a crash`);
    }
    faults.push(...overlaps(key, effective));
  }
  const figures: Figures = {
    calls: count('executed', 'replayed', 'in-progress', 'failed', 'lost', 'error'),
    executed: count('executed'),
    replays: count('replayed'),
    inProgress: count('in-progress'),
    failed: count('failed'),
    errors: count('error'),
    takeovers: count('takeover'),
    lostClaims: count('lost'),
    effects: count('effect'),
    superseded,
    kills: count('killed'),
    freezes: count('stopped'),
    keys: attempts.size,
  };
  return { figures, faults };
}

/** The key stays its own: in these runs no record expires. */
function complete(attempt: Attempt): void {
  attempt.completed = true;
  attempt.untilMs = Infinity;
}

/** Attempts that began while the claim of an earlier one, which had an effect, still stood. */
function overlaps(key: string, effective: readonly Attempt[]): string[] {
  const inOrder = [...effective].sort((a, b) => a.startMs - b.startMs);
  return inOrder.flatMap((later, index) =>
    inOrder
      .slice(0, index)
      .filter((earlier) => later.startMs <= earlier.untilMs)
      .map((earlier) =>
        earlier.completed
          ? `${key}: ${later.attempt} ran although ${earlier.attempt} is recorded`
          : `${key}: ${later.attempt} began ${String(earlier.untilMs - later.startMs)} ms before the claim of ${earlier.attempt} ended`,
      ),
  );
}
