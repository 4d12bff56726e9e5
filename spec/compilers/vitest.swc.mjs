/* Vite 8 leaves standard decorators as they are: SWC compiles the files that have any. */
import swc from '@rollup/plugin-swc';
import { defineConfig, withFilter } from 'vite';

export default defineConfig({
  plugins: [
    withFilter(
      swc({
        swc: {
          jsc: {
            target: 'es2022',
            parser: { syntax: 'typescript', decorators: true },
            transform: { decoratorVersion: '2023-11' },
          },
        },
      }),
      { transform: { code: '@' } },
    ),
  ],
});
