import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/*
 * Imports point one way:
 *
 *   decorator → execution → keys, results, configuration → store contract, errors, time
 *
 * and what lies behind the store contract (store/dynamodb, store/memory, …) knows nothing of the
 * engine. Each row: a folder (or file) of lib/, and what it must not import.
 */
const aws = {
  group: ['@aws-sdk/*', '@smithy/*'],
  message: 'Only lib/store/dynamodb knows the AWS SDK.',
};
const reflect = {
  group: ['reflect-metadata'],
  message: 'Users load reflect-metadata; an import of it costs all others 20 ms at start.',
};
const folder = (name, message) => ({ group: [`**/${name}/**`], message });
const decorator = folder('decorator', 'Nothing below the decorator knows it.');
const execution = folder('execution', 'The engine stands above this folder.');
const middle = ['keys', 'results', 'configuration'].map((name) =>
  folder(name, 'The contract, errors and time stand at the bottom.'),
);
const dynamodb = folder(
  'dynamodb',
  'The core loads the DynamoDB store at run time only: see dynamodb-loader.ts.',
);

const directions = [
  {
    files: ['lib/**/*.ts'],
    ignores: ['lib/store/dynamodb/**', 'lib/cli/**'],
    patterns: [aws, reflect, dynamodb],
  },
  // The command line is a program of its own, beside the package's entries.
  { files: ['lib/cli/**/*.ts'], patterns: [reflect, decorator, execution] },
  { files: ['lib/execution/**/*.ts'], patterns: [aws, reflect, dynamodb, decorator] },
  {
    files: ['lib/{keys,results,configuration}/**/*.ts'],
    patterns: [aws, reflect, dynamodb, decorator, execution],
  },
  {
    files: ['lib/store/**/*.ts'],
    ignores: ['lib/store/dynamodb/**'],
    patterns: [aws, reflect, dynamodb, decorator, execution],
  },
  { files: ['lib/store/dynamodb/**/*.ts'], patterns: [reflect, decorator, execution] },
  {
    files: ['lib/store/idempotency-store.ts', 'lib/{errors,time}/**/*.ts'],
    patterns: [aws, reflect, dynamodb, decorator, execution, ...middle],
  },
];

export default defineConfig(
  globalIgnores(['dist/', '.build/', '.cache/', 'coverage/', 'spec/examples/infrastructure/cdk']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/consistent-type-exports': [
        'error',
        { fixMixedExportsWithInlineTypeSpecifier: true },
      ],
      '@typescript-eslint/no-floating-promises': ['error', { checkThenables: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/promise-function-async': 'off', // A store's or a user's promise passes through as it is.
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // noPropertyAccessFromIndexSignature asks for the brackets.
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      // In a guard or a look-up the caller names the type.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    files: ['spec/**/standard-only/**/*.ts'],
    languageOptions: { parserOptions: { project: ['./spec/tsconfig.standard.json'] } },
  },
  ...directions.map(({ patterns, ...where }) => ({
    ...where,
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  })),
  {
    // What specs may do: pass wrong values on purpose, write short stubs, talk to the console.
    files: ['spec/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-unused-expressions': 'off', // expect(x).to.be.true
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/class-methods-use-this': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
      '@typescript-eslint/class-literal-property-style': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off', // environment variables
      '@typescript-eslint/no-misused-spread': 'off',
      // Recorded requests and parsed JSON are looked at as they are.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-require-imports': 'off', // ts-node runs specs as CommonJS
      '@typescript-eslint/triple-slash-reference': ['error', { path: 'always' }],
    },
  },
);
