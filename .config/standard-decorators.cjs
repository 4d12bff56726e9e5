// Loaded before ts-node: the same specs, compiled with standard (TC39) decorators.
process.env.TS_NODE_PROJECT = 'spec/tsconfig.standard.json';
