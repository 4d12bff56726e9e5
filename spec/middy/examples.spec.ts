import { build } from 'esbuild';
import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MemoryStore, withIdempotency } from '../../lib/index.js';
import { lambdaContext } from '../examples/lambda-context.js';
import { redeliverHttpRequest } from '../examples/redeliver.js';
import { sampleEvents } from '../examples/sample-events.js';

interface Reply {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

interface Example {
  readonly payments: readonly string[];
  handler(event: object, context: object): Promise<Reply>;
}

/** Bundled to an ES module, as Lambda functions that use Middy are deployed. */
describe('examples/middy-payments', () => {
  let folder: string;
  let example: Example;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mayfly-idempotency-'));
    const outfile = join(folder, 'handler.mjs');
    await build({
      entryPoints: [join(__dirname, '../examples/middy-payments.mts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
    });
    const name = pathToFileURL(outfile).href;
    example = (await import(name)) as Example;
  });

  after(() => rm(folder, { recursive: true }));

  function request(orderId: string, headers: Record<string, string>): object {
    const event = redeliverHttpRequest(sampleEvents.httpRequest());
    return { ...event, headers, body: JSON.stringify({ orderId }) };
  }

  it('pays once, and replies the same with its headers', async () => {
    const headers = { authorization: 'Bearer t1', 'idempotency-key': 'k1' };
    const send = (orderId: string, sent: Record<string, string> = headers): Promise<Reply> =>
      example.handler(request(orderId, sent), lambdaContext());

    await withIdempotency({ store: new MemoryStore() }, async () => {
      const first = await send('o1');
      const second = await send('o1');

      expect(first).to.deep.equal({
        statusCode: 201,
        headers: { 'Access-Control-Allow-Origin': '*' },
        body: '{"orderId":"o1"}',
      });
      expect(second).to.deep.include({ statusCode: 201, body: first.body });
      expect(second.headers).to.deep.equal({ ...first.headers, 'Idempotent-Replayed': 'true' });
      expect(example.payments).to.deep.equal(['o1']);

      const statuses = [
        await send('o2'),
        await send('o2', { authorization: 'Bearer t1' }),
        await send('o1', { 'idempotency-key': 'k1' }),
      ].map(({ statusCode }) => statusCode);
      expect(statuses).to.deep.equal([422, 400, 401]);
      expect(example.payments).to.deep.equal(['o1']);
    });
  });
});
