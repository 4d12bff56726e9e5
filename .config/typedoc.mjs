/*
 * The API reference: `npm run docs` writes it to .cache/docs. A warning (a link that leads nowhere, a
 * type that is mentioned and cannot be imported, a public name without a comment) fails the run.
 */
import path from 'node:path';
import { entries } from './entries.mjs';
import { root } from './manifest.mjs';

export default {
  name: 'mayfly-idempotency',
  tsconfig: path.join(root, '.config', 'tsconfig.build.json'),
  entryPoints: Object.values(entries).map(({ source }) => path.join(root, source)),
  basePath: root,
  out: path.join(root, '.cache', 'docs'),
  readme: path.join(root, 'README.md'),
  projectDocuments: [path.join(root, 'CHANGELOG.md')],
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: true },
  // A property whose name and type say it all needs no comment.
  requiredToBeDocumented: ['Module', 'Class', 'Interface', 'TypeAlias', 'Function', 'Variable'],
};
