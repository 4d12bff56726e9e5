import assert from 'node:assert/strict';
import { HOUR_MS, SECOND_MS, type ContractGroup } from './bench.js';

export function getTests({ test, seededTest }: ContractGroup): void {
  test('resolves to undefined when there is no record', async (bench) => {
    assert.equal(await bench.store.get(bench.id), undefined);
  });

  test('sees every write at once', async (bench) => {
    for (let round = 0; round < 5; round++) {
      const claim = await bench.claim();
      assert.equal((await bench.record()).claimToken, claim.token);

      const untilMs = bench.nowMs + HOUR_MS + round;
      await bench.store.renew(claim, untilMs);
      assert.equal((await bench.record()).inProgressUntilMs, untilMs);

      await bench.store.release(claim);
      assert.equal(await bench.store.get(bench.id), undefined);
    }
    await bench.claimAndComplete({ result: '"done"' });
    assert.equal((await bench.record()).result, '"done"');
  });

  test('changes nothing', async (bench) => {
    await bench.claimAndComplete({ result: '{"n":1}' });

    await bench.expectUnchanged(() => bench.store.get(bench.id));
  });

  test('returns a record that changes with nobody', async (bench) => {
    await bench.claimAndComplete({
      status: 'FAILED',
      error: { name: 'CardError', message: 'declined' },
    });
    const record = (await bench.record()) as { status: string; error: { message: string } };

    record.status = 'INPROGRESS';
    record.error.message = 'changed';

    const { status, error } = await bench.record();
    assert.equal(status, 'FAILED');
    assert.equal(error?.message, 'declined');
  });

  seededTest('returns records that have expired or lapsed', async (bench) => {
    // A minute ago at most: a database that deletes expired records by itself does so later.
    const expiresAtMs = Math.floor(Date.now() / SECOND_MS) * SECOND_MS - 30 * SECOND_MS;
    await bench.seed({ status: 'COMPLETED', expiresAtMs, result: '"old"' });
    assert.equal((await bench.record()).result, '"old"');
    assert.equal((await bench.record()).expiresAtMs, expiresAtMs);

    const lapsed = { expiresAtMs: expiresAtMs + HOUR_MS, inProgressUntilMs: expiresAtMs };
    await bench.seed({ status: 'INPROGRESS', ...lapsed });
    assert.equal((await bench.record()).inProgressUntilMs, expiresAtMs);
  });
}
