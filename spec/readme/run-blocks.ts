/*
 * Runs the README's blocks in a process of their own, one after the other: they set defaults of the
 * process, open the shared DynamoDB client, and name the table by the environment. DynamoDB is
 * dynalite, in the same process. Talks to `readme.spec.ts` by messages.
 */
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { compileFunction } from 'node:vm';
import * as cache from '../../lib/cache/index.js';
import * as events from '../../lib/events/index.js';
import * as execution from '../../lib/execution/index.js';
import * as core from '../../lib/index.js';
import * as middy from '../../lib/middy/index.js';
import * as dynamodb from '../../lib/store/dynamodb/index.js';
import * as redis from '../../lib/store/redis/index.js';
import * as testing from '../../lib/testing/index.js';
import { freshTableName } from '../support/engines/engine.js';
import { startDynalite } from '../support/engines/dynalite.js';
import * as orders from './given/orders.js';
import * as redisClient from './given/redis.js';

/** What is sent: a block's line in the README, and its code as CommonJS. */
export interface BlockToRun {
  readonly line: number;
  readonly javaScript: string;
}

/** What is sent back. */
export interface BlockRun {
  readonly line: number;
  /** What went wrong, in the block itself or in a test that it registers. */
  readonly failures: readonly string[];
  /** What it printed, one entry for each call of `console.log`. */
  readonly printed: readonly string[];
  /** How many tests it registered. */
  readonly tests: number;
  /** What its exported Lambda handler replied to the same event, and what took effect meanwhile. */
  readonly handler?: { readonly replies: readonly unknown[]; readonly effects: readonly string[] };
}

interface Test {
  readonly title: string;
  readonly body: () => unknown;
}

type LambdaHandler = (event: unknown, context: unknown) => Promise<unknown>;

const modules: Record<string, unknown> = {
  'mayfly-idempotency': core,
  'mayfly-idempotency/cache': cache,
  'mayfly-idempotency/dynamodb': dynamodb,
  'mayfly-idempotency/events': events,
  'mayfly-idempotency/execution': execution,
  'mayfly-idempotency/middy': middy,
  'mayfly-idempotency/redis': redis,
  'mayfly-idempotency/testing': testing,
  './orders.js': orders,
  redis: redisClient,
};

const loadInstalled = createRequire(__filename);

function load(name: string): unknown {
  if (Object.hasOwn(modules, name)) return modules[name];
  if (/^(?:node:|@aws-sdk\/)/u.test(name)) return loadInstalled(name) as unknown;
  throw new Error(`The README imports ${name}, which nothing here provides`);
}

/** As CommonJS gets it; by a name that the compiler does not look up, since it would with `require`. */
async function esModule(name: string): Promise<object> {
  return { ...((await import(name)) as object), __esModule: true };
}

async function run({ line, javaScript }: BlockToRun): Promise<BlockRun> {
  const printed: string[] = [];
  const tests: Test[] = [];
  const failures: string[] = [];
  const console = {
    log: (...values: readonly unknown[]) => printed.push(values.map(shown).join(' ')),
  };
  const exported: { handle?: LambdaHandler } = {};
  const restoreDefaults = core.configureIdempotency({});
  const restoreRunner = collectTests(tests);
  let handler: BlockRun['handler'];
  try {
    const body = compileFunction(`return (async () => {\n${javaScript}\n})();`, [
      'exports',
      'require',
      'console',
    ]) as (...args: readonly unknown[]) => Promise<void>;
    await body(exported, load, console);
    for (const test of tests) await attempt(test, failures);
    if (exported.handle !== undefined) handler = await invokeTwice(exported.handle);
  } catch (error) {
    failures.push(inspect(error));
  } finally {
    restoreRunner();
    restoreDefaults();
  }
  return { line, failures, printed, tests: tests.length, ...(handler && { handler }) };
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : inspect(value);
}

/** Puts `describe` and `it` where test runners have them, and gives back what was there. */
function collectTests(tests: Test[]): () => void {
  const titles: string[] = [];
  Object.assign(globalThis, {
    describe: (title: string, body: () => void) => {
      titles.push(title);
      body();
      titles.pop();
    },
    it: (title: string, body: () => unknown) => {
      tests.push({ title: [...titles, title].join(' › '), body });
    },
  });
  return () => {
    Reflect.deleteProperty(globalThis, 'describe');
    Reflect.deleteProperty(globalThis, 'it');
  };
}

async function attempt({ title, body }: Test, failures: string[]): Promise<void> {
  try {
    await body();
  } catch (error) {
    failures.push(`${title}: ${inspect(error)}`);
  }
}

/** As Lambda does: the handler is called as a function, with event and context. */
async function invokeTwice(handle: LambdaHandler): Promise<BlockRun['handler']> {
  const event = { orderId: 'o-1', tenantId: 't-1' };
  const context = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 30_000 };
  const before = orders.effects.length;
  const replies = [await handle(event, context), await handle({ ...event }, context)];
  return { replies, effects: orders.effects.slice(before) };
}

async function runAll(blocks: readonly BlockToRun[]): Promise<void> {
  const engine = await startDynalite();
  try {
    modules['@middy/core'] = await esModule('@middy/core');
    const table = freshTableName();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      MAYFLY_IDEMPOTENCY_TABLE: table,
    });
    await dynamodb.createIdempotencyTable({ table });
    const runs: BlockRun[] = [];
    for (const block of blocks) runs.push(await run(block));
    process.send?.(runs);
  } finally {
    await engine.stop();
    process.disconnect();
  }
}

process.once('message', (blocks) => {
  void runAll(blocks as readonly BlockToRun[]);
});
