import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { IdempotencyRecordError } from '../../lib/errors/index.js';
import type { ResultCodec } from '../../lib/results/result-codec.js';
import { structuredCodec } from '../../lib/results/structured-codec.js';
import type { IdempotencyRecord } from '../../lib/store/idempotency-store.js';
import { encryptingCodec, type KeyRing } from '../examples/encrypting-codec.js';
import { Harness } from '../execution/harness.js';
import { expectRejection } from '../support/expect-rejection.js';

interface Reply {
  readonly card: string;
}

/** Keys as a key service hands them out, by promise; it can be told to fail. */
class Keys implements KeyRing {
  currentId = '2030-01';
  isDown = false;
  readonly #keys = new Map([
    ['2030-01', randomBytes(32)],
    ['2030-02', randomBytes(32)],
  ]);

  async find(id: string): Promise<Uint8Array> {
    const key = this.#keys.get(id);
    if (this.isDown || key === undefined) throw new Error('The key service does not answer');
    return Promise.resolve(key);
  }
}

describe('a codec of your own', () => {
  let harness: Harness;
  let keys: Keys;
  let runs: number;

  beforeEach(() => {
    harness = new Harness();
    keys = new Keys();
    runs = 0;
  });

  afterEach(() => {
    harness.dispose();
  });

  const pay = (codec: ResultCodec<Reply> = encryptingCodec<Reply>('orders.pay', keys)) =>
    harness.call<Reply>(
      () => {
        runs += 1;
        return { card: '4111' };
      },
      { codec },
    );
  const stored = async (): Promise<IdempotencyRecord & { readonly result: Uint8Array }> =>
    (await harness.memory.get('o1')) as IdempotencyRecord & { readonly result: Uint8Array };
  const replace = async (change: (bytes: Buffer) => void): Promise<void> => {
    const record = await stored();
    const bytes = Buffer.from(record.result);
    change(bytes);
    harness.memory.seed({ ...record, result: bytes });
  };

  it('encrypts: the record holds no plain text, and a replay is decrypted', async () => {
    await pay();
    const { result, encoding } = await stored();
    expect(encoding).to.equal('aes-256-gcm.json');
    expect(Buffer.from(result).includes('4111')).to.equal(false);

    expect(await pay()).to.deep.include({ status: 'replayed', result: { card: '4111' } });
    expect(runs).to.equal(1);
  });

  it('encrypts equal results differently', async () => {
    const codec = encryptingCodec<Reply>('orders.pay', keys);
    const [one, other] = [await codec.encode({ card: '1' }), await codec.encode({ card: '1' })];

    expect(one).to.not.deep.equal(other);
  });

  it('reads what an older key encrypted', async () => {
    await pay();
    keys.currentId = '2030-02';

    expect(await pay()).to.deep.include({ status: 'replayed', result: { card: '4111' } });
  });

  for (const [what, tamper] of [
    [
      'whose bytes were changed',
      (bytes: Buffer) => bytes.writeUInt8(bytes.at(-1)! ^ 1, bytes.length - 1),
    ],
    ['whose key id was changed', (bytes: Buffer) => bytes.write('2030-02', 2)],
  ] as const) {
    it(`refuses a result ${what}, without a second run`, async () => {
      await pay();
      await replace((bytes) => tamper(bytes));

      await expectRejection(pay(), IdempotencyRecordError);
      expect(runs).to.equal(1);
    });
  }

  it('refuses a result that was encrypted for another purpose', async () => {
    await pay();

    await expectRejection(
      pay(encryptingCodec<Reply>('orders.refund', keys)),
      IdempotencyRecordError,
    );
  });

  it('that fails to encode costs the result, never a second run', async () => {
    keys.isDown = true;
    expect(await pay()).to.deep.include({ status: 'executed', result: { card: '4111' } });
    keys.isDown = false;

    expect(await expectRejection(pay())).to.include({
      code: 'ERR_IDEMPOTENCY_RESULT_UNAVAILABLE',
      why: 'not-encodable',
    });
    expect(runs).to.equal(1);
  });

  it('that fails to decode fails that replay alone', async () => {
    await pay();
    keys.isDown = true;
    await expectRejection(pay(), IdempotencyRecordError);
    keys.isDown = false;

    expect((await pay()).status).to.equal('replayed');
    expect(runs).to.equal(1);
  });

  it('can stand around another one', async () => {
    const at = new Date(0);
    const codec = encryptingCodec<{ at: Date }>('orders.at', keys, structuredCodec);
    const call = () => harness.call(() => ({ at }), { codec });
    await call();

    expect(await call()).to.deep.include({ status: 'replayed', result: { at } });
  });
});
