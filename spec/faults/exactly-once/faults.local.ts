import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import fc from 'fast-check';
import { isIdempotencyCommitError, isIdempotencyError } from '../../../lib/errors/index.js';
import { createIdempotencyTable } from '../../../lib/store/dynamodb/index.js';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { clientOf, freshTableName, type Engine } from '../../support/engines/engine.js';
import { effectOf } from './audit.js';
import { FaultyClient, FAULTS, type Fault } from './faulty-client.js';
import { placeOrder } from './order.js';

/** More than a lease and the clock skew: the next caller takes over. */
const APART_MS = 60_000;
/** Cases that run next to each other; most of their time they wait. */
const AT_A_TIME = 8;

/** What a caller was told of its attempt. */
type Told = 'executed' | 'cancelled' | 'unknown' | { readonly replayed: string };

/** Callers of one order, at the same time, each with the faults that its requests meet. */
type Case = readonly (readonly Fault[])[];

describe('a business write that is committed with its record, under faults', function () {
  this.timeout(180_000);

  const records = freshTableName();
  const effects = `${records}-effects`;
  let engine: Engine;
  let client: DynamoDBClient;
  let orders = 0;

  before(async function () {
    this.timeout(120_000); // The first start fetches the engine.
    engine = await startDynamoDBLocal();
    client = clientOf(engine.endpoint);
    await createIdempotencyTable({ table: records, client });
    await createIdempotencyTable({ table: effects, client });
  });

  after(async () => {
    client.destroy();
    await engine.stop();
  });

  async function attempt(key: string, number: number, faulty: FaultyClient): Promise<Told> {
    const name = `${key}/${String(number)}`;
    const where = { records, effects, key, attempt: name, aheadMs: number * APART_MS };
    try {
      const outcome = await placeOrder(where, faulty);
      if (outcome.status === 'in-progress') return 'unknown';
      return outcome.status === 'executed' ? 'executed' : { replayed: outcome.result.attempt };
    } catch (error) {
      if (!isIdempotencyError(error)) throw error;
      if (!isIdempotencyCommitError(error)) return 'unknown';
      return error.outcome;
    }
  }

  /** Runs a case, retries until it is done, and compares what everybody was told with the table. */
  async function play(callers: Case): Promise<void> {
    const key = `order-${String(++orders)}`;
    const clients = callers.map((faults) => new FaultyClient(client, faults));
    const told = await Promise.all(clients.map((faulty, number) => attempt(key, number, faulty)));
    await Promise.all(clients.map((faulty) => faulty.settled()));
    told.push(await attempt(key, callers.length, new FaultyClient(client, [])));
    const { applied, attempt: winner } = await effectOf(client, effects, key);

    expect(applied, 'how often the write was applied').to.equal(1);
    const last = told.at(-1);
    expect(last === 'executed' || typeof last === 'object', 'whether a retry succeeds').to.equal(
      true,
    );
    for (const [number, each] of told.entries()) {
      const isWinner = winner === `${key}/${String(number)}`;
      if (typeof each === 'object') expect(each.replayed, 'what was replayed').to.equal(winner);
      else if (each !== 'unknown')
        expect(each === 'executed', `what ${each} says`).to.equal(isWinner);
    }
  }

  /** Plays cases next to each other; a failure names its case. */
  async function playAll(cases: readonly Case[]): Promise<void> {
    const left = cases.values();
    const playOn = async (): Promise<void> => {
      for (const callers of left) {
        await play(callers).catch((error: unknown) => {
          throw new Error(`Under ${JSON.stringify(callers)}`, { cause: error });
        });
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, playOn));
  }

  const others = FAULTS.filter((fault) => fault !== 'none');

  // F01, F03
  it('is applied once with any fault at any request', async () => {
    const positions = [0, 1, 2, 3];
    await playAll(
      positions.flatMap((position) =>
        others.map((fault): Case => [[...Array<Fault>(position).fill('none'), fault]]),
      ),
    );
  });

  it('is applied once with any fault at the claim and any at the commit', async () => {
    await playAll(others.flatMap((first) => others.map((second): Case => [[first, second]])));
  });

  it('is applied once with any two faults at the commit', async () => {
    await playAll(
      others.flatMap((first) => others.map((second): Case => [['none', first, second]])),
    );
  });

  it('is applied once when the commit fails until the claim ends', async () => {
    await playAll(others.map((fault): Case => [['none', ...Array<Fault>(12).fill(fault)]]));
  });

  // F07
  it('is applied once with late owners whose commits meet faults', async () => {
    await playAll(
      others.flatMap((first): Case[] => [
        [['none', first], ['none'], ['none', 'slow']],
        [['slow', 'slow', first], ['none', first], ['slow']],
      ]),
    );
  });

  it('is applied once with up to three callers and any faults', async () => {
    const faults = fc.array(fc.constantFrom(...FAULTS), { maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(faults, { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 8 }),
        playAll,
      ),
      { numRuns: 20 },
    );
  });
});
