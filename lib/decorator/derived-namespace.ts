import { processState } from '../configuration/process-state.js';
import { warnOnce } from '../configuration/warnings.js';

/*
 * Namespaces that come from names in the code. They change with a rename and with a minifier, and
 * every key in flight is then free again: hence the warnings, and the option `namespace`.
 */

/** One or two characters, or the underscore that esbuild puts before a class that names itself. */
const LOOKS_MINIFIED = /^(?:.{1,2}|_.*)$/su;

/** What a member is called in namespaces and messages: `handle`, `[description]` for a symbol. */
export function memberLabel(name: string | symbol, isStatic: boolean): string {
  const label = typeof name === 'symbol' ? `[${name.description ?? ''}]` : name;
  return isStatic ? `static.${label}` : label;
}

/**
 * Files a derived namespace, and warns where another declaration derives the same one: equal keys of
 * the two count as the same call.
 */
export function fileDerivedNamespace(namespace: string, declaration: object, where: string): void {
  const first = processState.derivedNamespaces.get(namespace);
  if (first === undefined) {
    processState.derivedNamespaces.set(namespace, declaration);
  } else if (first !== declaration) {
    warnOnce(
      `shared-namespace:${namespace}`,
      'MAYFLY_SHARED_NAMESPACE',
      `Two declarations derive the namespace ${namespace}: equal keys of the two count as the same call. Set the option \`namespace\` on one of them (${where})`,
    );
  }
}

/** Warns where a namespace derives from a name that the next build may change. */
export function warnIfMinified(name: string, what: string, where: string): void {
  if (!LOOKS_MINIFIED.test(name)) return;
  warnOnce(
    `minified-name:${what}:${name}`,
    'MAYFLY_MINIFIED_NAME',
    `The namespace derives from the ${what} name ${name}, which looks minified: when the next build names it differently, every key in flight is free again. Set the option \`namespace\` (${where})`,
  );
}

export function nothingToDeriveFrom(reason: string, where: string): TypeError {
  return new TypeError(
    `Expected the option \`namespace\`, since there is no name to derive it from: ${reason} (${where})`,
  );
}
