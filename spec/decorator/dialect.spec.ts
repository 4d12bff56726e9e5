import { expect } from 'chai';
import { dialect } from './support.js';

describe('the compiler of these specs', () => {
  it('uses the decorators that this run is about', () => {
    const project = process.env['TS_NODE_PROJECT'] ?? 'tsconfig.json';

    expect(dialect()).to.equal(project.includes('standard') ? 'standard' : 'legacy');
  });
});
