import type { PlacedOrder } from '../order.js';
import type { Effect } from './effects-log.js';

export interface Verdict {
  readonly exitCode: 0 | 1;
  /** What went wrong, a line each. */
  readonly problems: readonly string[];
}

/** Each order was placed exactly once, and every caller was told of that one placing. */
export function judge(
  orderIds: readonly string[],
  effects: readonly Effect[],
  answers: readonly PlacedOrder[],
): Verdict {
  const placed = effects.filter((effect) => effect.type === 'placed');
  const problems: string[] = [];
  for (const orderId of orderIds) {
    const ids = placed.filter((effect) => effect.orderId === orderId).map(({ id }) => id);
    if (ids.length === 0) problems.push(`${orderId} was not placed`);
    if (ids.length > 1) problems.push(`${orderId} was placed ${String(ids.length)} times`);
    const untold = answers.filter(
      (answer) => answer.orderId === orderId && !ids.includes(answer.id),
    );
    if (untold.length > 0) problems.push(`${orderId} was answered with a placing that never was`);
    const told = new Set(answers.filter((each) => each.orderId === orderId).map(({ id }) => id));
    if (told.size > 1) problems.push(`${orderId} was answered in ${String(told.size)} ways`);
  }
  for (const { orderId } of placed) {
    if (!orderIds.includes(orderId)) problems.push(`${orderId} was placed and nobody ordered it`);
  }
  return { exitCode: problems.length === 0 ? 0 : 1, problems };
}
