/*
 * A process that places orders until it is told to stop, whatever becomes of it in between. Bundled
 * and run with plain node; its plan is its only argument, the end of its input means to stop.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isIdempotencyClaimLostError, isIdempotencyError } from '../../../lib/errors/index.js';
import { observeIdempotency } from '../../../lib/execution/events.js';
import { runIdempotent } from '../../../lib/execution/run-idempotent.js';
import { DynamoDBStore } from '../../../lib/store/dynamodb/dynamodb-store.js';
import type { ClaimOutcome, ClaimRequest } from '../../../lib/store/idempotency-store.js';
import { DynamoDBClient } from '../exactly-once/bare-sdk.js';
import { Random } from '../exactly-once/random.js';
import { Journal } from './journal.js';
import { CLOCK_SKEW_SECONDS, keyOf, LEASE_SECONDS, type WorkerPlan } from './plan.js';

const IN_FLIGHT = 3;
/** Keys that are called at the same time: few enough that callers meet. */
const WINDOW = 24;

class Declined extends Error {}

/** Runs whatever stands in the way. */
class ReadsNoAnswers extends DynamoDBStore {
  override async claim(request: ClaimRequest): Promise<ClaimOutcome> {
    const outcome = await super.claim(request);
    if (outcome.claimed) return outcome;
    const { id, token, inProgressUntilMs } = request;
    return { claimed: true, claim: { id, token, inProgressUntilMs, tookOver: true } };
  }
}

const plan = JSON.parse(process.argv[2] ?? '') as WorkerPlan;
const random = new Random(plan.seed);
const journal = new Journal(plan.journal);
const client = new DynamoDBClient({ endpoint: plan.endpoint });
const Store = plan.ignoresClaims ? ReadsNoAnswers : DynamoDBStore;
const store = new Store({ table: plan.table, client, clockSkew: CLOCK_SKEW_SECONDS });

let stopping = false;
process.stdin.resume();
process.stdin.once('end', () => (stopping = true));

/** The claim of the method that is about to begin: the event comes right before it. */
let claimed = { token: '', untilMs: 0 };

observeIdempotency((event) => {
  const { id: key, token: attempt } = event;
  switch (event.type) {
    case 'claimed':
      // The claim was asked for after the call began, and lasts a lease from then.
      claimed = { token: attempt, untilMs: Date.now() - event.durationMs + LEASE_SECONDS * 1000 };
      if (event.takeover) journal.write({ what: 'takeover', key, attempt });
      break;
    case 'renewed':
      journal.write({ what: 'renewed', key, attempt, untilMs: event.inProgressUntilMs });
      break;
    case 'completed':
      journal.write({ what: 'completed', key, attempt });
      break;
    default: // The callers tell of the rest.
  }
});

/** Mostly short; now and then several leases, during which the claim is renewed. */
function workMs(): number {
  return random.below(3) === 0 ? 800 + random.below(2500) : 20 + random.below(400);
}

async function placeOrder(key: string): Promise<string> {
  const { token: attempt, untilMs } = claimed;
  journal.write({ what: 'start', key, attempt, untilMs });
  await pause(workMs());
  if (random.below(3) === 0) throw new Declined();
  journal.write({ what: 'effect', key, attempt });
  // What is left of the method, in which a crash makes the effect happen again.
  await pause(random.below(4) === 0 ? random.below(1200) : random.below(60));
  return attempt;
}

async function call(key: string): Promise<void> {
  try {
    const outcome = await runIdempotent({ key }, () => placeOrder(key), {
      key,
      namespace: '',
      store,
      lease: LEASE_SECONDS,
      onCompletionFailure: 'throw',
    });
    if (outcome.status === 'in-progress') journal.write({ what: 'in-progress', key });
    else journal.write({ what: outcome.status, key, result: outcome.result });
  } catch (error) {
    if (error instanceof Declined) journal.write({ what: 'failed', key });
    else if (isIdempotencyClaimLostError(error)) {
      journal.write({ what: 'lost', key, result: String(error.result) });
    } else if (isIdempotencyError(error)) journal.write({ what: 'error', key, code: error.code });
    else throw error;
  }
}

/** A window moves over the keys, so that new ones come up all the time; some calls go to old ones. */
function nextKey(): string {
  const { fromMs, untilMs, keys } = plan;
  const elapsed = Math.min(1, (Date.now() - fromMs) / (untilMs - fromMs));
  const newest = Math.min(keys, WINDOW + Math.floor(elapsed * 1.1 * (keys - WINDOW)));
  const old = random.below(4) === 0;
  return keyOf(old ? random.below(newest) : newest - 1 - random.below(Math.min(WINDOW, newest)));
}

async function hammer(): Promise<void> {
  while (!stopping) {
    await call(nextKey());
    await pause(20 + random.below(100));
  }
}

async function run(): Promise<void> {
  await Promise.all(Array.from({ length: IN_FLIGHT }, hammer));
  process.stdin.destroy();
  journal.close();
}

void run();
