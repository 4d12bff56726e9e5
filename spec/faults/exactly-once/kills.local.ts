import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import { createIdempotencyTable } from '../../../lib/store/dynamodb/index.js';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { clientOf, freshTableName, type Engine } from '../../support/engines/engine.js';
import { effectOf } from './audit.js';
import { KILL_POINTS, type DoomedPlan, type KillPoint } from './doomed-plan.js';
import { DoomedProcesses } from './doomed-processes.js';
import { placeOrder } from './order.js';
import { numberFrom, Random } from './random.js';

/** At least one at each point. */
const KILLS = Math.max(numberFrom('EXACTLY_ONCE_KILLS', 200), KILL_POINTS.length);
const SEED = numberFrom('EXACTLY_ONCE_SEED', Math.floor(Math.random() * 2 ** 31) + 1);
/** As many as small machines bear; the orders are independent of each other. */
const AT_A_TIME = 2;
/** From one attempt to the next, more than a lease and the clock skew. */
const APART_MS = 60_000;

const allowedMs = 120_000 + KILLS * 1500;

/** One order: the deaths of its first attempts, all from the seed and its number. */
interface Story {
  readonly key: string;
  readonly deaths: readonly { readonly point: KillPoint; readonly delayMs: number }[];
}

/** The first stories are one for each point; then one to three deaths anywhere. */
function storyOf(number: number): Story {
  const random = new Random(SEED + number * 7919);
  const count = number < KILL_POINTS.length ? 1 : 1 + random.below(3);
  const deaths = Array.from({ length: count }, () => {
    const point = KILL_POINTS[number] ?? random.pick(KILL_POINTS);
    return { point, delayMs: random.below(point === 'anywhere' ? 60 : 8) };
  });
  return { key: `order-${String(number)}`, deaths };
}

describe('a business write that is committed with its record', function () {
  this.timeout(allowedMs);

  const records = freshTableName();
  const effects = `${records}-effects`;
  let engine: Engine;
  let client: DynamoDBClient;
  let workers: DoomedProcesses;

  before(async function () {
    this.timeout(120_000); // The first start fetches the engine.
    [engine, workers] = await Promise.all([startDynamoDBLocal(), DoomedProcesses.prepare()]);
    client = clientOf(engine.endpoint);
    await createIdempotencyTable({ table: records, client });
    await createIdempotencyTable({ table: effects, client });
  });

  after(async () => {
    client.destroy();
    await workers.dispose();
    await engine.stop();
  });

  function planOf(key: string, number: number): Omit<DoomedPlan, 'point' | 'delayMs'> {
    const attempt = `${key}/${String(number)}`;
    const aheadMs = number * APART_MS;
    return { endpoint: engine.endpoint, records, effects, key, attempt, aheadMs, plain: false };
  }

  /** Lives through a story, then retries to success; resolves to the kills and the last result. */
  async function live({ key, deaths }: Story) {
    let kills = 0;
    for (const [number, death] of deaths.entries()) {
      // A later attempt may find the result recorded, and one killed from outside may be faster.
      const mayLive = number > 0 || death.point === 'anywhere';
      if (await workers.run({ ...planOf(key, number), ...death }, mayLive)) kills += 1;
    }
    const outcome = await placeOrder(planOf(key, deaths.length), client);
    if (outcome.status === 'in-progress') throw new Error(`${key} is still in progress`);
    return { kills, attempt: outcome.result.attempt, status: outcome.status };
  }

  // F10
  it(`is applied once in ${String(KILLS)} kills (EXACTLY_ONCE_SEED=${String(SEED)})`, async () => {
    const lives = new Map<Story, Awaited<ReturnType<typeof live>>>();
    let number = 0;
    let kills = 0;
    const liveOn = async (): Promise<void> => {
      while (kills < KILLS) {
        const story = storyOf(number++);
        const life = await live(story);
        kills += life.kills;
        lives.set(story, life);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, liveOn));

    const seen = { duplicated: 0, lost: 0, misreported: 0 };
    const wrong: unknown[] = [];
    for (const [story, life] of lives) {
      const { applied, attempt } = await effectOf(client, effects, story.key);
      if (applied > 1) seen.duplicated += 1;
      else if (applied < 1) seen.lost += 1;
      else if (attempt !== life.attempt) seen.misreported += 1;
      else continue;
      wrong.push({ story, life, applied, attempt });
    }
    expect(seen, JSON.stringify({ seed: SEED, wrong })).to.deep.equal({
      duplicated: 0,
      lost: 0,
      misreported: 0,
    });
    expect(kills).to.be.at.least(KILLS);
    // The deaths were of use: some came before the commit was applied, some after.
    const statuses = new Set([...lives.values()].map(({ status }) => status));
    expect([...statuses].sort()).to.deep.equal(['executed', 'replayed']);
  });

  // What the audit is worth: the same death with a write of its own is found twice.
  it('is found twice where it is not committed with the record', async () => {
    const plan = planOf('plain-order', 0);
    expect(
      await workers.run({ ...plan, point: 'write-deferred', delayMs: 0, plain: true }),
    ).to.equal(true);
    await placeOrder(planOf('plain-order', 1), client);

    expect((await effectOf(client, effects, 'plain-order')).applied).to.equal(2);
  });
});
