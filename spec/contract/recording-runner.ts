import type { ContractRunner } from '../../lib/testing/store-harness.js';

export interface RecordedRun {
  readonly passed: readonly string[];
  /** Titles of the tests that failed, as `group › title`. */
  readonly failed: readonly string[];
  readonly errors: ReadonlyMap<string, unknown>;
}

/**
 * A test runner that keeps the tests to itself: what `register` registers is run, and its outcome
 * returned instead of reported, so that a spec can expect a suite to fail.
 */
export async function record(register: (runner: ContractRunner) => void): Promise<RecordedRun> {
  const path: string[] = [];
  const tests: { readonly title: string; readonly body: () => Promise<void> }[] = [];
  register({
    describe(title, body) {
      path.push(title);
      body();
      path.pop();
    },
    it(title, body) {
      tests.push({ title: [...path.slice(1), title].join(' › '), body });
    },
  });

  const passed: string[] = [];
  const errors = new Map<string, unknown>();
  for (const { title, body } of tests) {
    try {
      await body();
      passed.push(title);
    } catch (error) {
      errors.set(title, error);
    }
  }
  return { passed, failed: [...errors.keys()], errors };
}
