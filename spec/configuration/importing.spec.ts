import { expect } from 'chai';
import { runChild } from './child.js';

/** A function of the child: which modules of these kinds are loaded. */
const LOADED = `
  const kinds = /@aws-sdk|@smithy|reflect-metadata|lru-cache|ioredis|store.dynamodb/;
  const loaded = () => Object.keys(require.cache).filter((each) => kinds.test(each)).length;
`;

describe('importing mayfly-idempotency', function () {
  // Each child compiles the sources.
  this.timeout(60_000);

  it('loads no AWS module and no reflect-metadata while the table variable is unset, nor does a call', async () => {
    const child = await runChild(`
      ${LOADED}
      const { makeIdempotent, MemoryStore } = require('./lib/index.ts');
      const imported = loaded();
      const place = makeIdempotent(async function place() {}, { key: 'k', store: new MemoryStore() });
      place().then(() => {
        const called = loaded();
        require('./lib/store/dynamodb/index.ts');
        console.log(JSON.stringify({ imported, called, seesMore: loaded() > 0 }));
      });
    `);

    // The last number shows that the count sees such modules where they are loaded.
    const output = { imported: 0, called: 0, seesMore: true };
    expect(child).to.deep.equal({ status: 0, output, stderr: '' });
  });

  it('makes no AsyncLocalStorage, nor does a call, before the first withIdempotency', async () => {
    const child = await runChild(`
      const hooks = require('node:async_hooks');
      let made = 0;
      hooks.AsyncLocalStorage = class extends hooks.AsyncLocalStorage {
        constructor(...args) { super(...args); made += 1; }
      };
      const { runIdempotent, withIdempotency, MemoryStore } = require('./lib/index.ts');
      const store = new MemoryStore();
      (async () => {
        await runIdempotent('o1', () => 'done', { store });
        await runIdempotent('o1', () => 'done', { store });
        const before = made;
        await withIdempotency({ store }, () => withIdempotency({ store }, () => undefined));
        console.log(JSON.stringify([before, made]));
      })();
    `);

    expect(child).to.deep.equal({ status: 0, output: [0, 1], stderr: '' });
  });
});
