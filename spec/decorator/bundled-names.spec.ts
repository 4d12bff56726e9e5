import { expect } from 'chai';
import { build, type BuildOptions } from 'esbuild';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import { dialect, IdStore, warningsDuring, type SeenWarning } from './support.js';

/** A handler as users write it, bundled as they bundle it. */
const handler = (className: string, namespace: string): string => `
  import { Idempotent } from '../../lib/decorator/idempotent.js';
  class ${className} {
    static readonly instances: ${className}[] = [];
    constructor(readonly store: unknown) { ${className}.instances.push(this); }
    @Idempotent({ key: e => e.orderId, ${namespace} store: self => self.store as never })
    async handle(event: { orderId: string }): Promise<string> { return event.orderId; }
  }
  module.exports = (store: unknown) => new ${className}(store).handle({ orderId: 'o1' });
`;

const EXPLICIT = "namespace: 'orders',";

interface Outcome {
  readonly id: string | undefined;
  readonly warnings: readonly SeenWarning[];
}

async function bundled(
  contents: string,
  experimentalDecorators: boolean,
  options: BuildOptions = {},
): Promise<Outcome> {
  const { outputFiles } = await build({
    stdin: { contents, loader: 'ts', resolveDir: __dirname, sourcefile: 'handler.ts' },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { experimentalDecorators } },
    ...options,
  });
  const exported: { exports?: (store: unknown) => Promise<unknown> } = {};
  const run = new Script(
    `(function (module, require) {${outputFiles?.[0]?.text ?? ''}\n})`,
  ).runInThisContext() as (module: object, require: NodeJS.Require) => void;
  run(exported, createRequire(__filename));
  const store = new IdStore();
  const warnings = await warningsDuring(() => exported.exports?.(store));
  return { id: store.ids[0], warnings };
}

describe('namespaces in bundles', () => {
  const experimentalDecorators = dialect() === 'legacy';

  // F16
  it('are the same in every build where they are explicit', async () => {
    const builds = await Promise.all([
      bundled(handler('BundledHandler', EXPLICIT), experimentalDecorators),
      bundled(handler('BundledHandler', EXPLICIT), experimentalDecorators, { minify: true }),
      bundled(handler('BundledHandler', EXPLICIT), experimentalDecorators, {
        minify: true,
        keepNames: true,
      }),
      bundled(handler('RenamedHandler', EXPLICIT), experimentalDecorators),
    ]);

    expect(builds.map(({ id }) => id)).to.deep.equal(Array(4).fill('orders#o1'));
    expect(builds.flatMap(({ warnings }) => warnings)).to.deep.equal([]);
  });

  // F16
  it('derive from names that are kept, and warn of those that are not', async () => {
    const source = handler('KeptHandler', '');
    const kept = await bundled(source, experimentalDecorators, { minify: true, keepNames: true });
    const minified = await bundled(source, experimentalDecorators, { minify: true });

    expect(kept).to.deep.equal({ id: 'KeptHandler.handle#o1', warnings: [] });
    expect(minified.id).not.to.equal(kept.id);
    expect(minified.warnings.map(({ code }) => code)).to.include('MAYFLY_MINIFIED_NAME');
  });
});
