import { expect } from 'chai';
import { configureIdempotency } from '../../lib/configuration/configure-idempotency.js';
import type { DefaultOptions } from '../../lib/configuration/options.js';
import { processState } from '../../lib/configuration/process-state.js';
import { resolveSettings } from '../../lib/configuration/settings.js';
import { MemoryStore } from '../../lib/store/memory-store.js';

/** What the defaults in force come to. */
const settings = () => resolveSettings([processState.defaults]);

describe('configureIdempotency', () => {
  let restores: (() => void)[];
  const configure = (defaults: DefaultOptions): (() => void) => {
    const restore = configureIdempotency(defaults);
    restores.push(restore);
    return restore;
  };

  beforeEach(() => {
    restores = [];
  });

  afterEach(() => {
    for (const restore of restores) restore();
    expect(processState.defaults).to.deep.equal({});
  });

  it('adds to what was set before', () => {
    configure({ ttl: 60 });
    configure({ lease: 30 });

    expect(settings()).to.deep.include({ ttlMs: 60_000, leaseMs: 30_000 });
  });

  it('replaces what was set before, option by option', () => {
    configure({ ttl: 60, lease: 30 });
    configure({ ttl: 120 });

    expect(settings()).to.deep.include({ ttlMs: 120_000, leaseMs: 30_000 });
  });

  it('takes a default back where it is given undefined', () => {
    configure({ ttl: 60 });
    configure({ ttl: undefined } as unknown as DefaultOptions);

    expect(settings().ttlMs).to.equal(3_600_000);
  });

  it('restores, the latest first', () => {
    const first = configure({ ttl: 60 });
    const second = configure({ ttl: 120 });

    second();
    expect(settings().ttlMs).to.equal(60_000);
    first();
    expect(settings().ttlMs).to.equal(3_600_000);
  });

  it('restores in any order: each takes its own defaults back and no others', () => {
    const first = configure({ ttl: 60, lease: 10 });
    const second = configure({ ttl: 120 });
    const third = configure({ renewFor: 5 });

    first();
    expect(settings()).to.deep.include({ ttlMs: 120_000, leaseMs: undefined, renewForMs: 5000 });
    third();
    expect(settings()).to.deep.include({ ttlMs: 120_000, renewForMs: 3_600_000 });
    second();
    expect(processState.defaults).to.deep.equal({});
  });

  it('restores once, however often it is told to', () => {
    const first = configure({ ttl: 60 });
    first();
    configure({ ttl: 120 });

    first();

    expect(settings().ttlMs).to.equal(120_000);
  });

  it('lets a later store replace an earlier table, and a later table an earlier store', () => {
    const store = new MemoryStore();
    configure({ table: 'orders' });
    const replaced = configure({ store });
    expect(settings().store).to.deep.equal({ store });

    configure({ table: 'payments' });
    expect(settings().store).to.deep.equal({ table: 'payments' });

    replaced();
    expect(settings().store).to.deep.equal({ table: 'payments' });
  });

  it('keeps a store when a later call names neither store nor table', () => {
    const store = new MemoryStore();
    configure({ store });
    configure({ ttl: 60, table: undefined } as unknown as DefaultOptions);

    expect(settings().store).to.deep.equal({ store });
  });

  it('does not follow an object that changes later', () => {
    const defaults = { ttl: 60 };
    configure(defaults);
    defaults.ttl = 1;
    configure({});

    expect(settings().ttlMs).to.equal(60_000);
  });
});
