/* Run by `npm run demo`: orders delivered again and again, each placed once. See `--help`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configureIdempotency, type IdempotencyRecord } from '../../../lib/index.js';
import type { DynamoDBStore } from '../../../lib/store/dynamodb/index.js';
import { openTable, storeAt, type DemoTable } from './demo-table.js';
import { EffectsLog } from './effects-log.js';
import { demoOptions, HELP, type DemoOptions } from './options.js';
import { deliveriesTable, recordsTable, type Outcome } from './report.js';
import { Stage } from './scenario.js';
import { scenarioGroups } from './scenarios.js';
import { Tally } from './tally.js';
import { judge, type Verdict } from './verdict.js';

async function main(args: readonly string[]): Promise<number> {
  let options: DemoOptions;
  try {
    options = demoOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  // The SDK's notice about future Node versions, once for each process, would drown the tables.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const table = await openTable(options);
  try {
    return await demonstrate(table);
  } finally {
    await table.stop();
  }
}

async function demonstrate(table: DemoTable): Promise<number> {
  const { location, engine, timeToLive } = table;
  console.log(`DynamoDB: ${engine}, table ${location.table}, TTL ${timeToLive}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'mayfly-idempotency-demo-'));
  const log = new EffectsLog(join(folder, 'effects.jsonl'));
  const store = storeAt(location);
  const restoreDefaults = configureIdempotency({ store });
  const stopObserving = Tally.observe();
  let verdict: Verdict | undefined;
  try {
    const outcomes = await play(log, table);
    const effects = log.read();
    console.log(`${deliveriesTable(outcomes, effects)}\n`);

    const records = await recordsOf(outcomes, store);
    console.log(`The records in the table:\n\n${recordsTable(records, Date.now())}\n`);

    const orderIds = outcomes.flatMap(({ scenario }) => scenario.orderIds);
    const answers = outcomes.flatMap(({ tally }) => tally.answers);
    verdict = judge(orderIds, effects, answers);
    report(verdict, outcomes, orderIds.length);
    await forgetEndless(records, store);
    return verdict.exitCode;
  } finally {
    stopObserving();
    restoreDefaults();
    if (verdict?.exitCode === 0) rmSync(folder, { recursive: true });
    else console.error(`What happened is in ${log.file}`);
  }
}

async function play(log: EffectsLog, { location }: DemoTable): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const group of scenarioGroups) {
    const played = group.map(async (scenario) => {
      const tally = new Tally();
      const note = await scenario.run(new Stage(tally, log, location));
      return { scenario, tally, note };
    });
    outcomes.push(...(await Promise.all(played)));
  }
  return outcomes;
}

async function recordsOf(
  outcomes: readonly Outcome[],
  store: DynamoDBStore,
): Promise<readonly IdempotencyRecord[]> {
  const ids = outcomes.flatMap(({ tally }) => [...tally.ids]);
  const records = await Promise.all(ids.map((id) => store.get(id)));
  return records.filter((record) => record !== undefined);
}

function report({ problems }: Verdict, outcomes: readonly Outcome[], orders: number): void {
  const deliveries = outcomes.reduce((sum, { tally }) => sum + tally.deliveries, 0);
  const counts = `${String(orders)} orders in ${String(deliveries)} deliveries`;
  if (problems.length === 0) console.log(`${counts}: each order was placed exactly once.`);
  else console.error(`${counts}. FAILED:\n  ${problems.join('\n  ')}`);
}

/** As the operator: records that no ttl ends would stay in a table that outlives the demo. */
async function forgetEndless(
  records: readonly IdempotencyRecord[],
  store: DynamoDBStore,
): Promise<void> {
  for (const { id, expiresAtMs } of records) {
    if (expiresAtMs === undefined) await store.forget(id);
  }
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
