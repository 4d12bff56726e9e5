/*
 * What a process has to do before its first line of work: child processes, less a bare one. In
 * processor time, which on an idle machine is as long as it takes, and on a busy one the same.
 */
import { execFileSync } from 'node:child_process';
import { bundle } from './bundles.js';
import { compare, spreads, type Row } from './row.js';
import { play, spreadOf, type Effort, type Turn } from './rounds.js';
import { peer, write } from './workspace.js';

const RATIO = { atMost: 0.35 };
const STORE_MS = 3;

/** Read before its own output costs anything. */
const END =
  'const { user, system } = process.cpuUsage(); process.stdout.write(`${user + system}`);';

export async function measure(effort: Effort): Promise<Row[]> {
  const requireOf = async (name: Parameters<typeof bundle>[0]): Promise<string> =>
    write(
      `start-up/${name.replaceAll(' ', '-')}.cjs`,
      `require(${JSON.stringify(await bundle(name))}); ${END}`,
    );
  const programs = {
    bareModule: write('start-up/bare.mjs', END),
    mayflyModule: write('start-up/mayfly.mjs', `import 'mayfly-idempotency'; ${END}`),
    powertoolsModule: write('start-up/powertools.mjs', `import '${peer}'; ${END}`),
    bare: write('start-up/bare.cjs', END),
    mayflyCore: await requireOf('mayfly core'),
    powertoolsCore: await requireOf('Powertools core'),
    sdk: await requireOf('SDK'),
    mayflyStore: await requireOf('mayfly with its store'),
    powertoolsStore: await requireOf('Powertools with its layer'),
  };
  const samples = await startEach(programs, effort);
  const over = (name: keyof typeof programs, floor: keyof typeof programs): number[] => {
    const { median } = spreadOf(samples[floor]);
    return samples[name].map((ms) => ms - median);
  };

  const store = over('mayflyStore', 'sdk');
  const storeMs = spreadOf(store).median;
  return [
    compare({
      what: 'import of the core, not bundled, over bare Node.js',
      unit: 'ms',
      samples: {
        Powertools: over('powertoolsModule', 'bareModule'),
        mayfly: over('mayflyModule', 'bareModule'),
      },
      to: 'Powertools',
      limit: RATIO,
    }),
    compare({
      what: 'start-up, core bundled, over bare Node.js',
      unit: 'ms',
      samples: { Powertools: over('powertoolsCore', 'bare'), mayfly: over('mayflyCore', 'bare') },
      to: 'Powertools',
      limit: RATIO,
    }),
    {
      what: "start-up, the SDK's five commands bundled, over bare Node.js",
      unit: 'ms',
      figures: spreads({ 'by hand': over('sdk', 'bare') }),
    },
    {
      what: 'start-up, with the DynamoDB store bundled, over that',
      unit: 'ms',
      figures: spreads({ Powertools: over('powertoolsStore', 'sdk'), mayfly: store }),
      bar: { text: `≤ ${String(STORE_MS)} ms`, met: storeMs <= STORE_MS },
    },
  ];
}

/** Interleaved like everything else; nine programs have too many orders to take them all. */
function startEach<Name extends string>(
  programs: Readonly<Record<Name, string>>,
  effort: Effort,
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const turns = Object.fromEntries(
    Object.entries<string>(programs).map(([name, file]) => [name, () => startUpMs(file)]),
  ) as Record<Name, Turn>;
  return play(turns, effort.rounds);
}

function startUpMs(file: string): number {
  const { PATH, HOME } = process.env;
  const said = execFileSync(process.execPath, [file], {
    encoding: 'utf8',
    // Nothing of this process's own loaders and switches.
    env: { PATH, HOME, NODE_NO_WARNINGS: '1' },
  });
  return Number(said) / 1000;
}
