import type { AnyMethodOptions } from '../execution/declaration.js';

/** A copy, so that a shared options object that changes later changes no declaration. */
export function copyOfOptions(options: unknown): AnyMethodOptions {
  if (options === undefined) return Object.freeze({});
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    // No object of options: the check of the options is still to come, and says so.
    return options as AnyMethodOptions;
  }
  return Object.freeze({ ...options });
}
