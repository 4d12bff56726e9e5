import { expect } from 'chai';
import { startDynamoDBLocal } from '../../support/engines/dynamodb-local.js';
import { costOf, type Cost, type CostRow } from './cost-bench.js';
import { EngineBench } from './engine-bench.js';

const KB = 1024;
const RESULTS_KB = [1, 10, 300] as const;

/** Successful writes by the larger size of the item, before or after: 1 KB to the unit. */
const writeUnits = (bytes: number): number => Math.ceil(bytes / KB);
/** Eventually consistent reads: 4 KB to half a unit, and no less for an item that is not there. */
const readUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / (4 * KB))) / 2;

describe('The cost on DynamoDB Local', function () {
  this.timeout(60_000); // A cold JVM takes its time over the first requests.

  const bench = new EngineBench().runs(startDynamoDBLocal);
  const rows = new Map<string, CostRow>();

  before('run a key of each kind', async () => {
    const { client } = bench.running;
    for (const kb of RESULTS_KB) {
      for (const readFirst of [false, true]) {
        const row = await costOf(client, bench.table, { resultBytes: kb * KB, readFirst });
        rows.set(nameOf(kb, readFirst), row);
      }
    }
  });

  after('print the table', () => {
    console.table(
      [...rows].map(([name, { first, inProgress, replay }]) => ({
        result: name,
        'first run': told(first),
        'in progress': told(inProgress),
        replay: told(replay),
      })),
    );
  });

  for (const kb of RESULTS_KB) {
    it(`is two writes for a first run and one refused write for the rest, ${String(kb)} KB`, () => {
      const { first, inProgress, replay, claimBytes, recordBytes } = rowOf(kb, false);

      expect(claimBytes).to.be.below(KB / 2);
      expect(recordBytes).to.be.within(kb * KB, (kb + 0.5) * KB);
      expect(first).to.deep.equal({
        requests: ['PutItem', 'UpdateItem'],
        readUnits: 0,
        writeUnits: 1 + writeUnits(recordBytes),
      });
      expect(inProgress).to.deep.equal({ requests: ['PutItem'], readUnits: 0, writeUnits: 1 });
      expect(replay).to.deep.equal({
        requests: ['PutItem'],
        readUnits: 0,
        writeUnits: writeUnits(recordBytes),
      });
    });

    it(`is, with readFirst, a read for a replay and half a unit for the rest, ${String(kb)} KB`, () => {
      const plain = rowOf(kb, false);
      const { first, inProgress, replay, recordBytes } = rowOf(kb, true);

      expect(first).to.deep.equal({
        requests: ['GetItem', ...plain.first.requests],
        readUnits: 0.5,
        writeUnits: plain.first.writeUnits,
      });
      expect(inProgress).to.deep.equal({
        requests: ['GetItem', 'PutItem'],
        readUnits: 0.5,
        writeUnits: 1,
      });
      expect(replay).to.deep.equal({
        requests: ['GetItem'],
        readUnits: readUnits(recordBytes),
        writeUnits: 0,
      });
    });
  }

  // The README's table holds the same figures.
  it('comes to few requests, and to units that grow with the result', () => {
    const figures = RESULTS_KB.map((kb) =>
      [false, true].flatMap((readFirst) => {
        const { first, inProgress, replay } = rowOf(kb, readFirst);
        return [first, inProgress, replay].map(told);
      }),
    );

    expect(figures).to.deep.equal([
      ['2: 3 W', '1: 1 W', '1: 2 W', '3: 3 W + 0.5 R', '2: 1 W + 0.5 R', '1: 0.5 R'],
      ['2: 12 W', '1: 1 W', '1: 11 W', '3: 12 W + 0.5 R', '2: 1 W + 0.5 R', '1: 1.5 R'],
      ['2: 302 W', '1: 1 W', '1: 301 W', '3: 302 W + 0.5 R', '2: 1 W + 0.5 R', '1: 38 R'],
    ]);
  });

  function rowOf(kb: number, readFirst: boolean): CostRow {
    const row = rows.get(nameOf(kb, readFirst));
    if (row === undefined) throw new Error('Not measured');
    return row;
  }
});

function nameOf(kb: number, readFirst: boolean): string {
  return `${String(kb)} KB${readFirst ? ', readFirst' : ''}`;
}

/** The number of requests, then write and read units. */
function told({ requests, readUnits, writeUnits }: Cost): string {
  const units = [
    ...(writeUnits > 0 ? [`${String(writeUnits)} W`] : []),
    ...(readUnits > 0 ? [`${String(readUnits)} R`] : []),
  ];
  return `${String(requests.length)}: ${units.join(' + ')}`;
}
