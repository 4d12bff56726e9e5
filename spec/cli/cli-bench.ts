import type { DynamoDBClientLike, DynamoDBStore } from '../../lib/store/dynamodb/index.js';
import { run } from '../../lib/cli/run.js';
import type { Terminal } from '../../lib/cli/terminal.js';

/** How a run of the program ended. */
export interface Ending {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Any moment: records and the program's clock are set by it. */
export const NOW_MS = Date.UTC(2026, 0, 15, 12);

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly errIsTty?: boolean;
  readonly nowMs?: number;
}

/** Runs the program in this process. */
export async function runCli(
  words: readonly string[],
  client?: DynamoDBClientLike,
  { env = {}, errIsTty = false, nowMs = NOW_MS }: Surroundings = {},
): Promise<Ending> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    errIsTty,
    env,
    now: () => nowMs,
  };
  const code = await run(words, terminal, client);
  return { code, out, err };
}

/** Puts records of each state into a table, by way of the store. */
export class Records {
  readonly #store: DynamoDBStore;

  constructor(store: DynamoDBStore) {
    this.#store = store;
  }

  /** A claim that lapses `leftMs` after {@link NOW_MS}. */
  async claimed(id: string, leftMs: number, onExpiredClaim: 'run' | 'reject' = 'run') {
    const outcome = await this.#store.claim({
      id,
      token: `token of ${id}`,
      nowMs: Math.min(NOW_MS, NOW_MS + leftMs) - 60_000,
      ttlMs: 3_600_000,
      inProgressUntilMs: NOW_MS + leftMs,
      onExpiredClaim,
    });
    if (!outcome.claimed) throw new Error(`${id} is claimed already`);
    return outcome.claim;
  }

  /** A result recorded two hours before {@link NOW_MS}, kept for six. */
  async completed(id: string, result: string): Promise<void> {
    const claim = await this.claimed(id, -7_200_000);
    await this.#store.complete(claim, {
      status: 'COMPLETED',
      nowMs: NOW_MS - 7_200_000,
      ttlMs: 6 * 3_600_000,
      result,
    });
  }

  /** An error recorded two hours before {@link NOW_MS}, expired an hour before. */
  async failed(id: string, message: string): Promise<void> {
    const claim = await this.claimed(id, -7_200_000);
    await this.#store.complete(claim, {
      status: 'FAILED',
      nowMs: NOW_MS - 7_200_000,
      ttlMs: 3_600_000,
      error: { name: 'CardDeclined', message },
    });
  }
}
