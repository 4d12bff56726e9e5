import { expect } from 'chai';
import type { Effect } from '../examples/demo/effects-log.js';
import { judge } from '../examples/demo/verdict.js';
import type { PlacedOrder } from '../examples/order.js';

const placed = (orderId: string, id: string): Effect => ({ type: 'placed', orderId, id, pid: 1 });
const run = (orderId: string): Effect => ({ type: 'run', orderId, pid: 1 });
const told = (orderId: string, id: string): PlacedOrder => ({
  id,
  orderId,
  totalAmount: 100,
  placedAt: '2026-05-18T09:30:00.000Z',
});

describe('judge', () => {
  it('passes when each order was placed once, however often it ran and was answered', () => {
    const effects = [run('a'), run('a'), placed('a', '1'), run('b'), placed('b', '2')];
    const answers = [told('a', '1'), told('a', '1'), told('b', '2')];

    expect(judge(['a', 'b'], effects, answers)).to.deep.equal({ exitCode: 0, problems: [] });
  });

  it('fails when an order was placed twice', () => {
    const effects = [placed('a', '1'), placed('b', '2'), placed('a', '3')];

    expect(judge(['a', 'b'], effects, [])).to.deep.equal({
      exitCode: 1,
      problems: ['a was placed 2 times'],
    });
  });

  it('fails when an order was not placed', () => {
    expect(judge(['a', 'b'], [run('a'), placed('b', '2')], [])).to.deep.equal({
      exitCode: 1,
      problems: ['a was not placed'],
    });
  });

  it('fails when a caller was told of a placing that never was', () => {
    expect(judge(['a'], [placed('a', '1')], [told('a', '9')])).to.deep.equal({
      exitCode: 1,
      problems: ['a was answered with a placing that never was'],
    });
  });

  it('fails when callers were told different things', () => {
    const effects = [placed('a', '1'), placed('a', '2')];

    expect(judge(['a'], effects, [told('a', '1'), told('a', '2')]).problems).to.deep.equal([
      'a was placed 2 times',
      'a was answered in 2 ways',
    ]);
  });

  it('fails when an order was placed that nobody sent', () => {
    expect(judge([], [placed('z', '1')], [])).to.deep.equal({
      exitCode: 1,
      problems: ['z was placed and nobody ordered it'],
    });
  });
});
