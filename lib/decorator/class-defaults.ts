import type { DefaultOptions } from '../configuration/options.js';
import { processState } from '../configuration/process-state.js';
import { chainOf, type AnyClass } from './declaring-class.js';
import { CLASS_DEFAULTS, defineOwnMetadata, ownMetadata } from './own-metadata.js';

/**
 * Files the defaults of a class where each kind of call looks: its prototype (calls on instances),
 * the class (static members), and the metadata object that standard decorators share, which a
 * method called without its instance still has.
 */
export function fileClassDefaults(
  declaring: AnyClass,
  metadata: object | undefined,
  defaults: DefaultOptions,
): void {
  for (const place of [declaring, declaring.prototype, metadata]) {
    if (place !== undefined) defineOwnMetadata(CLASS_DEFAULTS, defaults, place);
  }
  processState.revision += 1;
}

/** The defaults filed under exactly this class, prototype or metadata object. */
export function ownClassDefaults(place: object): DefaultOptions | undefined {
  return ownMetadata(CLASS_DEFAULTS, place) as DefaultOptions | undefined;
}

/** The defaults filed along a prototype chain, the nearest first. */
export function classDefaultsAlong(start: object | undefined): readonly DefaultOptions[] {
  const found: DefaultOptions[] = [];
  for (const place of chainOf(start)) {
    const own = ownClassDefaults(place);
    if (own !== undefined) found.push(own);
  }
  return found;
}
