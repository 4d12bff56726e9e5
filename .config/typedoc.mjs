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
  // What signatures are computed with; nobody writes these names.
  intentionallyNotExported: [
    ...['AnyCodec', 'ArgumentsOf', 'DecoratorArguments', 'IfJson', 'NamedCodec', 'ResultOf'],
    ...['HeaderValue', 'Transact'],
  ],
  validation: { notExported: true, invalidLink: true, rewrittenLink: true, notDocumented: true },
  // Members of others' interfaces, of which only the shape is ours.
  intentionallyNotDocumented: [
    'dynamodb.DynamoDBClientLike.send',
    'redis.GlideLike.customCommand',
    ...['eval', 'evalsha'].map((member) => `redis.IoredisLike.${member}`),
    ...['eval', 'evalSha'].map((member) => `redis.NodeRedisLike.${member}`),
    ...['before', 'after', 'onError'].map((member) => `middy.IdempotencyMiddleware.${member}`),
    ...['describe', 'it'].map((member) => `testing.ContractRunner.${member}`),
  ].map((member) => `mayfly-idempotency/${member}`),
  // A property whose name and type say it all needs no comment.
  requiredToBeDocumented: ['Module', 'Class', 'Interface', 'TypeAlias', 'Function', 'Variable'],
};
