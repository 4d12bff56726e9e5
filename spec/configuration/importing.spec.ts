import { expect } from 'chai';
import { runChild } from './child.js';

/** Prints which modules of these kinds were loaded once `program` has run. */
const loadedBy = (program: string): string => `
  ${program}
  const kinds = /@aws-sdk|@smithy|reflect-metadata|lru-cache|ioredis|store.dynamodb/;
  console.log(JSON.stringify(Object.keys(require.cache).filter((each) => kinds.test(each))));
`;

describe('importing mayfly-idempotency', () => {
  it('loads no AWS module and no reflect-metadata while the table variable is unset', async () => {
    const child = await runChild(loadedBy("require('./lib/index.ts');"));

    expect(child).to.deep.equal({ status: 0, output: [], stderr: '' });
  });

  it('loads none with a call either', async () => {
    const child = await runChild(`
      const { makeIdempotent, MemoryStore } = require('./lib/index.ts');
      const place = makeIdempotent(async function place() {}, { key: 'k', store: new MemoryStore() });
      place().then(() => { ${loadedBy('')} });
    `);

    expect(child).to.deep.equal({ status: 0, output: [], stderr: '' });
  });

  it('is told apart from importing the DynamoDB store, which loads some', async () => {
    const child = await runChild(loadedBy("require('./lib/store/dynamodb/index.ts');"));

    expect(child.output).to.be.an('array').that.is.not.empty;
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
