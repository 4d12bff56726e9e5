import { expect } from 'chai';
import fc from 'fast-check';
import type { Outcome } from '../../lib/execution/outcome.js';
import type { StoreOperation } from '../../lib/errors/index.js';
import { pause } from '../../lib/time/clock.js';
import { Harness } from '../execution/harness.js';
import { connectionLost, type Interceptor } from '../support/intercepted-store.js';

const LEASE_SECONDS = 6;

/** What becomes of one request. */
type Fate =
  | { readonly kind: 'fine' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'reply lost' }
  | { readonly kind: 'slow'; readonly thereMs: number; readonly backMs: number }
  /** The caller is told that it failed, and then it is applied. */
  | { readonly kind: 'late'; readonly afterMs: number };

interface PlannedCall {
  readonly startMs: number;
  readonly runMs: number;
  readonly throws: boolean;
  readonly wait: number;
}

const fates = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fate>({ kind: 'fine' }) },
  fc.constant<Fate>({ kind: 'dropped' }),
  fc.constant<Fate>({ kind: 'reply lost' }),
  fc.record({
    kind: fc.constant('slow' as const),
    thereMs: fc.integer({ min: 0, max: 8000 }),
    backMs: fc.integer({ min: 0, max: 8000 }),
  }),
  fc.record({ kind: fc.constant('late' as const), afterMs: fc.integer({ min: 0, max: 8000 }) }),
);
const fatesOf = fc.array(fates, { maxLength: 8 });
/** Long enough that recording is given up. */
const outage = fc.constant<Fate[]>(Array.from({ length: 40 }, () => ({ kind: 'dropped' })));
const plannedCall = fc.record({
  startMs: fc.integer({ min: 0, max: 30_000 }),
  runMs: fc.integer({ min: 0, max: 20_000 }),
  throws: fc.boolean(),
  wait: fc.constantFrom(0, 0, 3, 30),
});

function fated(harness: Harness, fate: Fate): Interceptor {
  return async (forward) => {
    switch (fate.kind) {
      case 'fine':
        return forward();
      case 'dropped':
        throw connectionLost();
      case 'reply lost':
        await forward();
        throw connectionLost();
      case 'slow': {
        await pause(harness.clock, fate.thereMs);
        const reply = await forward();
        await pause(harness.clock, fate.backMs);
        return reply;
      }
      case 'late':
        void pause(harness.clock, fate.afterMs)
          .then(forward)
          .catch(() => undefined);
        throw connectionLost();
    }
  };
}

describe('calls of one key on a bad day', () => {
  it('run one at a time, at most once to a recorded success, and leave no key stuck', async () => {
    const property = fc.asyncProperty(
      fc.array(plannedCall, { minLength: 2, maxLength: 7 }),
      fc.constantFrom('run' as const, 'reject' as const),
      fc.record({
        claim: fatesOf,
        renew: fatesOf.map(everyOther),
        complete: fc.oneof(fatesOf, outage),
        release: fatesOf,
        get: fatesOf,
      }),
      async (calls, onExpiredClaim, plan) => {
        const harness = new Harness(1);
        try {
          await badDay(harness, calls, onExpiredClaim, plan);
        } finally {
          harness.dispose();
        }
      },
    );
    await fc.assert(property, { numRuns: 200 });
  }).timeout(60_000);
});

/** A claim survives one renewal that fails, not all of them. */
function everyOther(ofIt: readonly Fate[]): Fate[] {
  return ofIt.flatMap((fate) => [fate, { kind: 'fine' } as const]);
}

async function badDay(
  harness: Harness,
  calls: readonly PlannedCall[],
  onExpiredClaim: 'run' | 'reject',
  plan: Partial<Record<StoreOperation, readonly Fate[]>>,
): Promise<void> {
  const { clock } = harness;
  for (const [operation, ofIt] of Object.entries(plan)) {
    harness.store.next(operation as StoreOperation, ...ofIt.map((fate) => fated(harness, fate)));
  }
  let running = 0;
  let runs = 0;
  let successes = 0;
  let recorded: string | undefined;
  const body = (call: PlannedCall) => async (): Promise<string> => {
    running += 1;
    runs += 1;
    const name = `receipt ${String(runs)}`;
    expect(running, 'bodies at the same time').to.equal(1);
    expect(harness.types(), 'events before a run').to.not.include('completed');
    if (onExpiredClaim === 'reject') expect(successes, 'successes before a run').to.equal(0);
    const found = (await harness.memory.get('o1'))?.status;
    expect(found, 'status while running').to.equal('INPROGRESS');
    await pause(clock, call.runMs);
    running -= 1;
    if (call.throws) throw new Error(name);
    successes += 1;
    return name;
  };
  const settled = calls.map(async (call) => {
    await pause(clock, call.startMs);
    let outcome: Outcome<string> | Error;
    try {
      outcome = await harness.call(body(call), {
        lease: LEASE_SECONDS,
        wait: call.wait,
        onExpiredClaim,
      });
    } catch (error) {
      outcome = error as Error;
      if (outcome.name === 'AssertionError') throw outcome;
    }
    if ('status' in outcome && outcome.status === 'replayed') {
      recorded ??= outcome.result;
      expect(outcome.result, 'what is replayed').to.equal(recorded);
    }
    return outcome;
  });
  let over = false;
  const all = Promise.all(settled).finally(() => (over = true));
  all.catch(() => undefined);
  await clock.advance(300_000);
  expect(over, 'every call has ended').to.equal(true);
  await all;
  expect(clock.pendingTimers, 'timers').to.equal(0);
  const record = await harness.memory.get('o1');
  if (onExpiredClaim === 'reject' && record?.status === 'INPROGRESS') return; // An operator decides.
  const last = await harness.call(() => 'last', {}, { store: harness.memory });
  expect(last.status, 'after all').to.equal(
    record?.status === 'COMPLETED' ? 'replayed' : 'executed',
  );
}
