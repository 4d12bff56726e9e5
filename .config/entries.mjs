/*
 * The entry points of the package: what users import, and the source file behind it. This is the one
 * place to add an entry; `npm run build` bundles each and keeps `exports`, `typesVersions` and
 * `sideEffects` in package.json in step.
 *
 * `sideEffects: true` is for an entry whose import alone does something (registers a store, switches
 * a feature on): bundlers then keep an import of it that names nothing.
 */
export const entries = {
  '.': { source: 'lib/index.ts', sideEffects: true },
  './dynamodb': { source: 'lib/store/dynamodb/index.ts', sideEffects: true },
  './events': { source: 'lib/events/index.ts', sideEffects: false },
  './execution': { source: 'lib/execution/index.ts', sideEffects: true },
  './cache': { source: 'lib/cache/index.ts', sideEffects: false },
  './middy': { source: 'lib/middy/index.ts', sideEffects: false },
  './redis': { source: 'lib/store/redis/index.ts', sideEffects: false },
  './testing': { source: 'lib/testing/index.ts', sideEffects: false },
};

/** The command line, which package.json names under `bin`. */
export const program = {
  source: 'lib/cli/main.ts',
  name: 'cli',
  needs: '@aws-sdk/client-dynamodb',
};

/** `.` is `index`, `./dynamodb` is `dynamodb`: the file name of an entry in `dist/`. */
export function fileNameOf(entry) {
  return entry === '.' ? 'index' : entry.slice(2);
}
