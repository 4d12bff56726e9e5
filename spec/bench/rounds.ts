/* Interleaved rounds: what differs between two contestants of one round is the contestants. */

/** How much is measured. */
export interface Effort {
  readonly rounds: number;
  /** How long one contestant's turn in a round lasts, about. */
  readonly turnMs: number;
  /** How long each contestant runs before the first round. */
  readonly warmUpMs: number;
  readonly smoke: boolean;
}

export const full: Effort = { rounds: 48, turnMs: 25, warmUpMs: 800, smoke: false };
export const smoke: Effort = { rounds: 2, turnMs: 1, warmUpMs: 5, smoke: true };

/** Runs one turn and says what it cost, in a unit of its own. */
export type Turn = () => number | Promise<number>;

/** What each turn of each contestant cost; the same index is the same round. */
export type Samples<Name extends string> = Readonly<Record<Name, readonly number[]>>;

export interface Spread {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
}

/**
 * Gives everybody a turn in each round, and takes every order of turns in its turn; where there are
 * too many orders, everybody begins and follows another one.
 */
export async function play<Name extends string>(
  turns: Readonly<Record<Name, Turn>>,
  rounds: number,
): Promise<Samples<Name>> {
  const names = Object.keys(turns) as Name[];
  const orders = names.length > 4 ? strides(names) : permutations(names);
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of orders[round % orders.length]!) samples[name].push(await turns[name]());
  }
  return samples;
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)]!;
    return below + (sorted[Math.ceil(place)]! - below) * (place % 1);
  };
  return { median: at(0.5), p10: at(0.1), p90: at(0.9) };
}

/** The ratio of two contestants in each round. */
export function ratios(samples: readonly number[], to: readonly number[]): readonly number[] {
  return samples.map((sample, round) => sample / to[round]!);
}

/** Processor time of this process, its threads for the compiler and the collector included. */
function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * A turn that calls `call` over and over, and costs microseconds of processor time per call. Warms
 * it up first, and finds out how many calls fill a turn.
 */
export async function cpuTurn(
  call: () => Promise<unknown>,
  effort: Effort,
  fewest = effort.smoke ? 2 : 5,
): Promise<Turn> {
  const repeat = async (calls: number): Promise<number> => {
    const start = cpuMicroseconds();
    for (let i = 0; i < calls; i++) await call();
    return (cpuMicroseconds() - start) / calls;
  };
  const startMs = performance.now();
  let calls = 0;
  while (performance.now() - startMs < effort.warmUpMs) {
    await repeat(fewest);
    calls += fewest;
  }
  const callsPerMs = calls / (performance.now() - startMs);
  const perTurn = Math.max(fewest, Math.round(callsPerMs * effort.turnMs));
  return () => repeat(perTurn);
}

/** The median of each so many samples: a round in which contestants alternate from call to call. */
export function medianOfEach<Name extends string>(
  samples: Samples<Name>,
  count: number,
): Samples<Name> {
  const entries = Object.entries<readonly number[]>(samples).map(([name, costs]) => [
    name,
    Array.from(
      { length: costs.length / count },
      (_, i) => spreadOf(costs.slice(i * count, (i + 1) * count)).median,
    ),
  ]);
  return Object.fromEntries(entries) as Samples<Name>;
}

/** Round and round from each name on, forwards and backwards. */
function strides<T>(values: readonly T[]): readonly (readonly T[])[] {
  return values.flatMap((_, i) => {
    const order = [...values.slice(i), ...values.slice(0, i)];
    return [order, [...order].reverse()];
  });
}

function permutations<T>(values: readonly T[]): readonly (readonly T[])[] {
  if (values.length < 2) return [values];
  return values.flatMap((first, i) =>
    permutations([...values.slice(0, i), ...values.slice(i + 1)]).map((rest) => [first, ...rest]),
  );
}
